/** The grammars of names, logical paths and author references that contracts, packages and runs share. */
export { PATH_LIMITS, PathError, type PathErrorCode, type PathFault } from "./errors.ts";
export { isLocalName, isToken, NAME_LIMITS } from "./names.ts";
export { checkPath, comparePaths, decodePath, pathAdvisoryKey, pathCollisionKey } from "./paths.ts";
export { checkReference } from "./references.ts";
