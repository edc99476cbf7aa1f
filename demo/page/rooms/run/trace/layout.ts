/** Where lanes and rows lie. Pixels throughout. */
import type { Lane, Row } from "./model.ts";

/** Lanes that get a column of their own; what is beyond them shares the last. */
export const MOST_COLUMNS = 24;

export interface Columns {
	/** Lanes with a column, from left to right. */
	readonly lanes: readonly number[];
	/** The column of each lane, or undefined for those that no row touches. */
	readonly of: readonly (number | undefined)[];
	/** Lanes that share the last column, beyond the one that it is named after. */
	readonly folded: number;
}

/** Gives a column to every lane that is touched. The host stands first, then everybody in the order of their appearance. */
export function layColumns(lanes: readonly Lane[], rows: readonly Row[], shown: readonly number[]): Columns {
	const touched = new Set<number>([0]);
	for (const index of shown) {
		const row = rows[index]!;
		touched.add(row.from);
		touched.add(row.to);
	}
	const placed: number[] = [];
	const of: (number | undefined)[] = new Array(lanes.length).fill(undefined);
	let folded = 0;
	for (let lane = 0; lane < lanes.length; lane += 1) {
		if (!touched.has(lane)) continue;
		if (placed.length < MOST_COLUMNS) placed.push(lane);
		else folded += 1;
		of[lane] = placed.length - 1;
	}
	return { lanes: placed, of, folded };
}

/** How high the rows are that are open, by their place among those shown. */
export type Opened = ReadonlyMap<number, number>;

/** Where the row at `place` begins. */
export function topOf(place: number, rowHeight: number, opened: Opened): number {
	let top = place * rowHeight;
	for (const [at, extra] of opened) if (at < place) top += extra;
	return top;
}

export interface Span {
	/** Places: the first, and the one after the last. */
	readonly from: number;
	readonly to: number;
}

/** The rows to draw for a window: those in it, and `beyond` more on each side, which keyboards need to step out of it. */
export function windowOf(
	count: number,
	rowHeight: number,
	opened: Opened,
	scrollTop: number,
	height: number,
	beyond = 8,
): Span {
	const first = placeAt(count, rowHeight, opened, scrollTop);
	const last = placeAt(count, rowHeight, opened, scrollTop + height);
	return { from: Math.max(0, first - beyond), to: Math.min(count, last + 1 + beyond) };
}

/** The place at a height; found by halving, since what is open lies between. */
function placeAt(count: number, rowHeight: number, opened: Opened, y: number): number {
	let low = 0;
	let high = Math.max(0, count - 1);
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (topOf(middle, rowHeight, opened) <= y) low = middle;
		else high = middle - 1;
	}
	return low;
}
