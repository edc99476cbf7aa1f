/** Normalization Forms C and D of Unicode 15.1 (UAX #15) of any text, singletons included. */
import { decompose, fromCodePoints, normalize, quickCheck } from "./nfc.ts";
import { singletonReplacements } from "./singletons.ts";

/** The NFC form of `text` under Unicode 15.1; the very string when it is NFC already. O(n log n) at worst. */
export function toNfc(text: string): string {
	return quickCheck(text) === "yes" ? text : normalize(text, singletonReplacements());
}

/** The canonical decomposition (NFD) of `text` under Unicode 15.1. O(n log n) at worst. */
export function toNfd(text: string): string {
	return fromCodePoints(decompose(text, singletonReplacements()));
}
