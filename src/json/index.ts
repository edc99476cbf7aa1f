/** JSON/1: limits, reader, guard for host values, equality, RFC 8785, RFC 6901. */

export { type Around, admitJson, admitPart } from "./admit.ts";
export { canonicalize, canonicalText } from "./canonical.ts";
export { equalJson } from "./equal.ts";
export { JsonError, type JsonErrorCode, type JsonPlace } from "./error.ts";
export { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
export { parsePart } from "./native.ts";
export { formatNumber } from "./number.ts";
export { parseJson } from "./parse.ts";
export { appendPointer, formatPointer, parsePointer, resolvePointer } from "./pointer.ts";
export { isJsonObject, type JsonObject, type JsonValue, objectsInheritNames, ownMember } from "./value.ts";
