/** A sequence diagram in Mermaid's language, for documents and viewers that draw it. */

import type { SequenceDiagram, SequenceMessage } from "./diagram.ts";

const ARROWS: Record<SequenceMessage["kind"], string> = {
	request: "->>",
	response: "-->>",
	failure: "--x",
	note: "",
};

/** Writes a diagram as a Mermaid `sequenceDiagram`. Nothing in a name or a label can end its line or start a directive. */
export function sequenceMermaid(diagram: SequenceDiagram): string {
	const lines = ["sequenceDiagram"];
	for (const [index, { label }] of diagram.participants.entries())
		lines.push(`    participant p${index} as ${escapeText(label)}`);
	for (const { from, to, kind, label } of diagram.messages) {
		lines.push(
			kind === "note"
				? `    Note over p${from}: ${escapeText(label)}`
				: `    p${from}${ARROWS[kind]}p${to}: ${escapeText(label)}`,
		);
	}
	if (diagram.omitted > 0) lines.push(`    Note over p0: and ${diagram.omitted} more messages`);
	return `${lines.join("\n")}\n`;
}

const PLAIN = /^[A-Za-z0-9 _.,:()/-]$/;

/** Everything but plain characters as Mermaid's numeric entity, `#NNN;`. */
function escapeText(text: string): string {
	const shown = (character: string): string => (PLAIN.test(character) ? character : `#${character.codePointAt(0)};`);
	return Array.from(text, shown).join("");
}
