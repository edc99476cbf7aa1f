/** A sequence diagram as one SVG document that needs nothing else: no script, no font, no link. */

import { escapeForDisplay } from "../../display.ts";
import { scalarLength } from "../../text.ts";
import type { SequenceDiagram, SequenceMessage } from "./diagram.ts";

/** Width of a character of the monospaced text, and the distance of two messages, in pixels. */
const CHARACTER = 7;
const ROW = 26;
const MARGIN = 20;
const HEAD = 48;

const STYLE = [
	"text{font:12px ui-monospace,monospace;fill:#1b1f24}",
	".lane{stroke:#c8ccd1}",
	".name{font-weight:bold}",
	".request{stroke:#0a58ca}",
	".response{stroke:#2c7a3f;stroke-dasharray:5 3}",
	".failure{stroke:#c1272d;stroke-dasharray:5 3}",
	".note{fill:#6a737d}",
].join("");

/** Draws a diagram as SVG. Text from outside is escaped and can hold no markup. */
export function sequenceSvg(diagram: SequenceDiagram): string {
	const { participants, messages, omitted } = diagram;
	const gap = (CHARACTER * Math.max(16, ...widths(diagram))) | 0;
	const x = (index: number): number => MARGIN + index * gap;
	const y = (row: number): number => HEAD + row * ROW;
	const width = x(participants.length - 1) + gap;
	const height = y(messages.length + (omitted > 0 ? 1 : 0)) + MARGIN;
	const parts = [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
		"<title>Sequence of a Run</title>",
		`<style>${STYLE}</style>`,
		'<rect width="100%" height="100%" fill="#fff"/>',
	];
	for (const [index, { label }] of participants.entries()) {
		parts.push(`<line class="lane" x1="${x(index)}" y1="${HEAD - 16}" x2="${x(index)}" y2="${height - MARGIN}"/>`);
		parts.push(`<text class="name" x="${x(index) - 8}" y="${MARGIN + 4}">${escapeText(label)}</text>`);
	}
	for (const [row, message] of messages.entries()) parts.push(...draw(message, x, y(row) + ROW / 2));
	if (omitted > 0) parts.push(`<text x="${MARGIN}" y="${y(messages.length) + 12}">and ${omitted} more messages</text>`);
	parts.push("</svg>");
	return `${parts.join("\n")}\n`;
}

/** Characters that a column must hold: for a label, as many as its arrow leaves to each. */
function* widths({ participants, messages }: SequenceDiagram): Iterable<number> {
	for (const { label } of participants) yield scalarLength(escapeForDisplay(label)) + 3;
	for (const { from, to, label } of messages) {
		if (from !== to) yield (scalarLength(escapeForDisplay(label)) + 4) / Math.abs(to - from);
	}
}

function draw({ atMs, from, to, kind, label }: SequenceMessage, x: (index: number) => number, y: number): string[] {
	const title = `<title>${atMs.toFixed(1)} ms</title>`;
	if (from === to) {
		const text = `<text class="note" x="${x(from) + 8}" y="${y + 4}">${escapeText(label)}${title}</text>`;
		return [`<circle cx="${x(from)}" cy="${y}" r="3" fill="#6a737d"/>`, text];
	}
	const forward = to > from;
	const tip = x(to) - (forward ? 1 : -1);
	const back = tip - (forward ? 7 : -7);
	const head =
		kind === "failure"
			? `M${back} ${y - 4}L${tip} ${y + 4}M${back} ${y + 4}L${tip} ${y - 4}`
			: `M${back} ${y - 4}L${tip} ${y}L${back} ${y + 4}`;
	return [
		`<line class="${kind}" x1="${x(from)}" y1="${y}" x2="${tip}" y2="${y}"/>`,
		`<path class="${kind}" style="stroke-dasharray:none" fill="none" d="${head}"/>`,
		`<text x="${Math.min(x(from), x(to)) + 10}" y="${y - 4}">${escapeText(label)}${title}</text>`,
	];
}

function escapeText(text: string): string {
	return escapeForDisplay(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
