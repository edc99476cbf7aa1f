/** Which rows are looked at. */
import { bitOf, GROUPS, type Group } from "./groups.ts";
import type { Row, SequenceModel } from "./model.ts";

export interface Filter {
	readonly groups: ReadonlySet<Group>;
	/** Key of an operation: what belongs to it and to what it called. Undefined for all. */
	readonly operation: string | undefined;
	/** Looked for in labels, operation ids, lanes and frames, in any case of letters. */
	readonly text: string;
}

export const EVERYTHING: Filter = { groups: new Set(GROUPS), operation: undefined, text: "" };

export function isEverything({ groups, operation, text }: Filter): boolean {
	return groups.size === GROUPS.length && operation === undefined && text === "";
}

/** The rows of a model that pass a filter, in order, from the row `from` on. */
export function filterRows(model: SequenceModel, filter: Filter, from = 0): number[] {
	const passes = rowFilter(model, filter);
	const found: number[] = [];
	for (let index = from; index < model.rows.length; index += 1) if (passes(model.rows[index]!)) found.push(index);
	return found;
}

/** The test of one row; made once for all of them. */
function rowFilter(model: SequenceModel, { groups, operation, text }: Filter): (row: Row) => boolean {
	let shown = 0;
	for (const group of groups) shown |= bitOf(group);
	const below = `${operation}\n`;
	const wanted = text.trim().toLowerCase();
	const decoder = new TextDecoder();
	const says = (part: string): boolean => part.toLowerCase().includes(wanted);
	return (row) => {
		if ((row.groups & shown) === 0) return false;
		if (operation !== undefined && row.operation !== operation && !row.operation.startsWith(below)) return false;
		if (wanted === "" || says(row.label) || says(row.operation)) return true;
		if (says(model.lanes[row.from]!.label) || says(model.lanes[row.to]!.label)) return true;
		const bytes = bytesOf(model, row);
		return bytes !== undefined && says(decoder.decode(bytes));
	};
}

/** The frame or the diagnostics that a row is about. */
export function bytesOf(model: SequenceModel, row: Row): Uint8Array | undefined {
	const event = model.events[row.event]?.event;
	if (event?.type === "stderr" && event.bytes instanceof Uint8Array) return event.bytes;
	if (event?.type !== "session") return undefined;
	const { event: inner } = event;
	return "frame" in inner && inner.frame instanceof Uint8Array ? inner.frame : undefined;
}
