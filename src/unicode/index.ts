/**
 * Unicode 15.1, pinned: what package paths need of it (Package/1 section 5), the same in every engine. Strings may hold lone
 * surrogates; they pass through unharmed.
 */
export { toCasefold } from "./casefold.ts";
export { composed, findSingleton, isNfc } from "./nfc.ts";
export { toNfc, toNfd } from "./normalize.ts";
