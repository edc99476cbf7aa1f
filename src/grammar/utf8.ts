/** UTF-8 bytes of a well-formed `text` between two UTF-16 offsets; stops counting soon after `enough`. */
export function utf8Length(text: string, from: number, to: number, enough: number): number {
	let bytes = 0;
	for (let index = from; index < to && bytes <= enough; index++) {
		const unit = text.charCodeAt(index);
		// A surrogate is half of a four-byte character.
		bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
	}
	return bytes;
}
