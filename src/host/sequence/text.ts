/** A sequence diagram as plain text: one lane per participant, one line per message. */

import { escapeForDisplay } from "../../display.ts";
import { scalarLength } from "../../text.ts";
import type { SequenceDiagram, SequenceMessage } from "./diagram.ts";

const TIME_WIDTH = 10;

/** Draws a diagram in ASCII. Names that could steer a terminal are escaped. Lines are as long as the diagram needs. */
export function sequenceText(diagram: SequenceDiagram): string {
	const names = diagram.participants.map(({ label }) => escapeForDisplay(label));
	const messages = diagram.messages.map((message) => ({ ...message, label: escapeForDisplay(message.label) }));
	const lanes = placeLanes(names, messages);
	const width = lanes.at(-1)! + 1;
	const lines = [heading(names, lanes), ...messages.map((message) => line(message, lanes, width))];
	if (diagram.omitted > 0) lines.push(`… and ${diagram.omitted} more messages`);
	return `${lines.map((each) => each.trimEnd()).join("\n")}\n`;
}

/** The column of each lane: far enough apart for every name, and for every label between its ends. */
function placeLanes(names: readonly string[], messages: readonly SequenceMessage[]): readonly number[] {
	const gaps = names.slice(1).map((_, index) => scalarLength(names[index]!) + 2);
	const spans = [...messages].sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from));
	for (const { from, to, label } of spans) {
		const first = Math.min(from, to);
		const last = Math.max(from, to);
		if (first === last) continue;
		let room = 0;
		for (let index = first; index < last; index += 1) room += gaps[index]!;
		gaps[last - 1]! += Math.max(0, scalarLength(label) + 6 - room);
	}
	const lanes = [0];
	for (const gap of gaps) lanes.push(lanes.at(-1)! + gap);
	return lanes;
}

function heading(names: readonly string[], lanes: readonly number[]): string {
	let text = " ".repeat(TIME_WIDTH);
	for (const [index, name] of names.entries()) text = `${pad(text, TIME_WIDTH + lanes[index]!)}${name}`;
	return text;
}

function line({ atMs, from, to, kind, label }: SequenceMessage, lanes: readonly number[], width: number): string {
	const cells = Array.from({ length: width }, () => " ");
	for (const column of lanes) cells[column] = "|";
	const time = `${atMs.toFixed(1)} `.padStart(TIME_WIDTH);
	if (from === to) {
		const column = lanes[from]!;
		return `${time}${cells.slice(0, column).join("")}* ${label}`;
	}
	const start = Math.min(lanes[from]!, lanes[to]!) + 1;
	const end = Math.max(lanes[from]!, lanes[to]!);
	for (let column = start; column < end; column += 1) cells[column] = kind === "request" ? "-" : ".";
	cells[to > from ? end - 1 : start] = kind === "failure" ? "x" : to > from ? ">" : "<";
	const before = cells.slice(0, start + 2).join("");
	return `${time}${before}${label}${cells.slice(start + 2 + scalarLength(label)).join("")}`;
}

function pad(text: string, length: number): string {
	return text + " ".repeat(Math.max(0, length - scalarLength(text)));
}
