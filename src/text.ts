/** Sizes of JavaScript strings in the units that the specifications count: Unicode scalar values and UTF-8 bytes. */

/** How many Unicode scalar values a well-formed string has (a lone surrogate counts as one). */
export function scalarLength(text: string): number {
	let count = text.length;
	for (let i = 1; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit >= 0xdc00 && unit <= 0xdfff) {
			const before = text.charCodeAt(i - 1);
			// A high surrogate pairs with one low only, and a low never starts a pair: looking one unit back is enough.
			if (before >= 0xd800 && before <= 0xdbff) count--;
		}
	}
	return count;
}

/** How many UTF-8 bytes a string takes (a lone surrogate takes three, as the replacement character would). */
function utf8Length(text: string): number {
	let count = text.length;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit < 0x80) continue;
		count += unit < 0x800 ? 1 : 2;
		if (unit >= 0xdc00 && unit <= 0xdfff && i > 0) {
			const before = text.charCodeAt(i - 1);
			// A pair is two units and four bytes; so far it was counted as six.
			if (before >= 0xd800 && before <= 0xdbff) count -= 2;
		}
	}
	return count;
}

/** Whether the UTF-8 form is longer than `max` bytes; counts only when the UTF-16 length can't decide. */
export function exceedsUtf8(text: string, max: number): boolean {
	if (text.length * 3 <= max) return false;
	return text.length > max || utf8Length(text) > max;
}

/** The index of the first surrogate without its pair, or -1. */
export function findLoneSurrogate(text: string): number {
	if (text.isWellFormed()) return -1;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit < 0xd800 || unit > 0xdfff) continue;
		const after = text.charCodeAt(i + 1);
		if (unit > 0xdbff || !(after >= 0xdc00 && after <= 0xdfff)) return i;
		i++;
	}
	return -1;
}
