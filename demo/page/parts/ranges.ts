/** Where the parts of a JSON text stand in it. */
import { appendPointer } from "millrace";

/** A piece of a text, in UTF-16 units. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

interface Open {
	readonly pointer: string;
	readonly from: number;
	readonly isArray: boolean;
	index: number;
}

/**
 * Where the values that `wanted` points at stand in `text`, which has to be JSON. A text is walked once, with a stack of its own; a
 * pointer that leads nowhere has no range.
 */
export function rangesOf(text: string, wanted: ReadonlySet<string>): Map<string, Range> {
	const ranges = new Map<string, Range>();
	const open: Open[] = [];
	let at = 0;
	let pointer = "";
	const skip = (): void => {
		SPACE.lastIndex = at;
		at += SPACE.exec(text)?.[0].length ?? 0;
	};
	const take = (token: RegExp): string => {
		token.lastIndex = at;
		const found = token.exec(text)?.[0] ?? "";
		at += found.length;
		return found;
	};
	const put = (of: string, from: number): void => {
		if (wanted.has(of)) ranges.set(of, { from, to: at });
	};
	/** Moves to the next value, closing what ends before it; false when there is none. */
	const next = (): boolean => {
		for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
			skip();
			const mark = text[at];
			if (mark === ",") {
				at += 1;
				skip();
			} else if (mark === "]" || mark === "}") {
				at += 1;
				open.pop();
				put(top.pointer, top.from);
				continue;
			} else if (mark === undefined) return false;
			if (top.isArray) {
				pointer = appendPointer(top.pointer, top.index);
				top.index += 1;
			} else {
				const key = take(STRING);
				if (key === "") return false;
				pointer = appendPointer(top.pointer, JSON.parse(key) as string);
				skip();
				at += 1;
			}
			return true;
		}
		return false;
	};
	do {
		skip();
		const from = at;
		const mark = text[at];
		if (mark === "[" || mark === "{") {
			at += 1;
			open.push({ pointer, from, isArray: mark === "[", index: 0 });
		} else {
			if (mark === '"') take(STRING);
			else if (take(SCALAR) === "") return ranges;
			put(pointer, from);
		}
	} while (next());
	return ranges;
}

/** The UTF-16 index of a UTF-8 byte offset. */
export function indexOfByte(text: string, offset: number): number {
	let bytes = 0;
	for (let index = 0; index < text.length; index += 1) {
		if (bytes >= offset) return index;
		const unit = text.charCodeAt(index);
		if (unit < 0x80) bytes += 1;
		else if (unit < 0x800) bytes += 2;
		else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
			bytes += 4;
			index += 1;
		} else bytes += 3;
	}
	return text.length;
}
