/** What the composer lets pass although YAML 1.2 doesn't, looked for in the syntax tree. */

import type { CST } from "yaml";
import { refuseAt } from "./place.ts";

/**
 * Refuses the mistakes that the composer turns into other content without a word: a second node after an explicit key, which
 * it drops (`? "a" "b"`, `? a` and then `- b`); an entry that doesn't begin its line (`a: {}: b`, read as two entries) or
 * begins at another column than the first (YAML 1.2 section 8.2: `: b` deeper than the keys); a `:` that isn't where its key
 * wants it, on the line of an implicit key (section 7.4) or below the `?` of an explicit one (section 8.2.2). Flow collections
 * hold no block collection, so they are passed over. Recursion is bounded by the guard that built the tree. Throws
 * `PACKAGE_YAML_INVALID`.
 */
export function checkStructure(text: string, tokens: readonly CST.Token[]): void {
	for (const token of tokens) if (token.type === "document") checkNode(text, token.value);
}

function checkNode(text: string, node: CST.Token | null | undefined): void {
	if (node?.type !== "block-map" && node?.type !== "block-seq") return;
	for (const [index, item] of node.items.entries()) {
		if (index > 0) checkBegin(text, item, node.indent);
		checkIndicator(text, node, item);
		checkNode(text, item.key);
		checkNode(text, item.value);
	}
}

/** Every entry of a block collection but the first begins a line, at the column of the first. */
function checkBegin(text: string, item: CST.CollectionItem, indent: number): void {
	const written = item.start.find(({ type }) => type !== "space" && type !== "newline" && type !== "comment");
	const offset = written?.offset ?? item.key?.offset ?? item.sep?.[0]?.offset;
	if (offset === undefined) return;
	const column = columnOf(text, offset);
	if (column === undefined) throw refuseAt(text, offset, "A new entry must begin on a line of its own.");
	if (column !== indent) throw refuseAt(text, offset, "An entry must begin at the column of those before it.");
}

/** Where the `:` of an entry stands. */
function checkIndicator(
	text: string,
	{ type, indent }: CST.BlockMap | CST.BlockSequence,
	item: CST.CollectionItem,
): void {
	if (type !== "block-map") return;
	const at = item.sep?.findIndex((token) => token.type === "map-value-ind") ?? -1;
	if (item.sep === undefined || at < 0) {
		if (item.value === undefined) return;
		throw refuseAt(text, item.value.offset, 'This belongs to no key: a ":" is missing before it, or it is too much.');
	}
	const { offset } = item.sep[at]!;
	if (item.start.some((token) => token.type === "explicit-key-ind")) {
		if (columnOf(text, offset) !== indent)
			throw refuseAt(text, offset, 'After a "?" the ":" stands on a line of its own, at the same column.');
	} else if (item.key != null && item.sep.slice(0, at).some((token) => token.type === "newline")) {
		throw refuseAt(text, offset, 'The ":" stands on the line of its key.');
	}
}

/** The column of what begins a line, undefined for what doesn't. */
function columnOf(text: string, offset: number): number | undefined {
	for (let at = offset - 1; at >= 0 && text[at] !== "\n"; at--)
		if (text[at] !== " " && text[at] !== "\t") return undefined;
	return offset - text.lastIndexOf("\n", offset - 1) - 1;
}
