import { describe, expect, test } from "vitest";
import {
	type RunEvent,
	type SequenceDiagram,
	sequenceMermaid,
	sequenceOf,
	sequenceSvg,
	sequenceText,
} from "../../src/host/index.ts";
import { arrange, DONE } from "./arrange.ts";

const NAME = "titles";

/** The events of a Run whose component calls a provider that is there and a child that isn't. */
async function traced(): Promise<RunEvent[]> {
	const stage = arrange({
		main: async (component) => {
			const root = await component.next();
			const params = { operationId: "op:1", slot: "nobody", input: { secret: "s3cret" } };
			component.write({ jsonrpc: "2.0", id: "c1", method: "flow/run-child", params });
			await component.next();
			component.write({ jsonrpc: "2.0", id: "c2", method: "channel/next", params: { endpoint: "e:1" } });
			await component.next();
			component.answer(root.id, DONE);
			component.exit(0);
		},
	});
	const events: RunEvent[] = [];
	const run = stage.run(await stage.load("main"), { onTrace: (event) => events.push(event) });
	await run.result;
	return events;
}

const arrows = ({ participants, messages }: SequenceDiagram): string[] =>
	messages.map(({ from, to, kind, label }) => {
		return `${participants[from]!.label} ${kind} ${participants[to]!.label}: ${label}`;
	});

describe("a Run as a sequence", () => {
	test("requests and their answers between host and component, in order, without values", async () => {
		const diagram = sequenceOf(await traced());
		expect(arrows(diagram)).toEqual([
			"host request main: flow/run",
			"main request host: flow/run-child nobody (op:1)",
			"host failure main: UNAVAILABLE",
			"main request host: channel/next e:1",
			expect.stringMatching(/^host failure main: /),
			"main response host: done",
			"main note main: exited: 0",
			"main note main: accepted: done",
		]);
		expect(JSON.stringify(diagram)).not.toContain("s3cret");
	});

	test("a limit leaves out the rest and counts it", async () => {
		const events = await traced();
		const whole = sequenceOf(events);
		const part = sequenceOf(events, { limit: 2 });
		expect(part.messages).toEqual(whole.messages.slice(0, 2));
		expect(part.omitted).toBe(whole.messages.length - 2);
		expect(sequenceText(part)).toContain(`${part.omitted} more messages`);
	});

	const hostile = '"><script>\n%%{init}%%;end\u202e';
	const drawn: SequenceDiagram = {
		participants: [{ label: "host" }, { label: hostile }, { label: NAME }],
		messages: [
			{ atMs: 1, from: 0, to: 1, kind: "request", label: "flow/run" },
			{ atMs: 2, from: 1, to: 0, kind: "failure", label: hostile },
			{ atMs: 3, from: 0, to: 2, kind: "response", label: "value" },
			{ atMs: 4, from: 2, to: 2, kind: "note", label: "exited: 0" },
		],
		omitted: 0,
	};

	test("text: every arrow stays between its lanes, and nothing steers the terminal", () => {
		const text = sequenceText({ ...drawn, participants: [{ label: "host" }, { label: "one" }, { label: NAME }] });
		const lines = text.trimEnd().split("\n");
		const lanes = [lines[0]!.indexOf("host"), lines[0]!.indexOf("one"), lines[0]!.indexOf(NAME)];
		for (const line of lines.slice(1, 4)) expect(lanes.map((lane) => line[lane])).toContain("|");
		expect(lines[1]!.slice(lanes[0], lanes[1]! + 1)).toMatch(/^\|--flow\/run-+>\|$/);
		expect(lines[2]!.slice(lanes[0], lanes[1]! + 1)).toMatch(/^\|x\..*\.\|$/);
		expect(lines[4]!.slice(lanes[2])).toBe("* exited: 0");
		expect(sequenceText(drawn)).not.toContain("\u202e");
	});

	test("Mermaid: a name can end neither its line nor its statement", () => {
		const lines = sequenceMermaid(drawn).trimEnd().split("\n");
		expect(lines).toHaveLength(1 + drawn.participants.length + drawn.messages.length);
		expect(lines[2]).toMatch(/^ {4}participant p1 as [\w# .,:;()/-]+$/);
		expect(lines[4]).toBe("    p0->>p1: flow/run");
	});

	test("SVG: a name is text, never markup", () => {
		const svg = sequenceSvg(drawn);
		expect(svg).not.toContain("<script>");
		expect(svg.match(/<text/g)).toHaveLength(drawn.participants.length + drawn.messages.length);
	});
});
