/** The sequence that the run room draws: from the traces of real Runs in Node, from files, filtered and laid out. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directory, nodeRuntime } from "../../adapters/node/index.ts";
import { readTraceFile, writeTrace } from "../../demo/page/rooms/run/trace/file.ts";
import { EVERYTHING, filterRows } from "../../demo/page/rooms/run/trace/filter.ts";
import { CANCELLATION } from "../../demo/page/rooms/run/trace/groups.ts";
import { layColumns, MOST_COLUMNS, topOf, windowOf } from "../../demo/page/rooms/run/trace/layout.ts";
import { SequenceModel } from "../../demo/page/rooms/run/trace/model.ts";
import {
	createHost,
	encodeTraceLine,
	type LoadedPackage,
	type RunEvent,
	traceHeader,
	traceTruncated,
} from "../../src/host/index.ts";
import { parseCapabilityContract } from "../../src/index.ts";

const flow = (name: string): string => fileURLToPath(new URL(`../../demo/flows/${name}`, import.meta.url));
const digest = `sha256:${"0".repeat(64)}` as const;

const modelOf = (events: Iterable<RunEvent>): SequenceModel => {
	const model = new SequenceModel();
	for (const event of events) model.add(event);
	return model;
};

/** Rows as words: `root → host: capability/call titles.lookup (title:1)`. */
const words = ({ rows, lanes }: SequenceModel, shown: readonly number[] = [...rows.keys()]): string[] =>
	shown.map((index) => {
		const { from, to, label } = rows[index]!;
		const ends = from === to ? lanes[from]!.label : `${lanes[from]!.label} → ${lanes[to]!.label}`;
		return `${ends}: ${label}`;
	});

const fileOf = (events: readonly RunEvent[], values = true): Blob =>
	new Blob([traceHeader(values), "\n", ...events.map((event) => `${encodeTraceLine(event, values)}\n`)]);

describe("the sequence of a Run", () => {
	const packages: LoadedPackage[] = [];
	let events: RunEvent[] = [];
	let model: SequenceModel;

	beforeAll(async () => {
		const host = createHost({ runtime: nodeRuntime() });
		for (const name of ["survey", "station", "summary"]) packages.push(await host.load(directory(flow(name))));
		const [survey, station, summary] = packages as [LoadedPackage, LoadedPackage, LoadedPackage];
		const archive = {
			contract: parseCapabilityContract(readFileSync(`${flow("survey")}/contracts/archive.capability.json`)),
			async call({ channels }: { readonly channels: Readonly<Record<string, unknown>> }) {
				let recorded = 0;
				for await (const _ of channels.readings as AsyncIterable<unknown>) recorded += 1;
				return { value: { recorded } };
			},
		};
		const run = host.run(survey, {
			input: { place: "Hobart", celsius: [11.5, 12] },
			children: { station, summary },
			capabilities: { archive },
			onTrace: (event) => events.push(event),
		});
		await run.result;
		model = modelOf(events);
	});
	afterAll(async () => {
		for (const pack of packages) await pack.dispose();
		events = [];
	});

	it("has a lane for the host, each Run, each provider and each channel", () => {
		const lanes = model.lanes.map(({ kind, label, detail }) => `${kind} ${label} ${detail}`.trim());
		expect(lanes.slice(0, 3)).toEqual(["host host", "run survey root", "channel channel 1 broadcast"]);
		expect(lanes.slice(3).sort()).toEqual(["program archive capability", "run station read", "run summary summarize"]);
	});

	it("shows calls, decisions and what goes through channels between those who take part", () => {
		expect(words(model)).toEqual(
			expect.arrayContaining([
				"host → survey: flow/run",
				"survey → host: channel/create broadcast ./contracts/readings.channel.json",
				"survey → channel 1: created broadcast",
				"survey → channel 1: send:1 handed on to read",
				"survey: dispatched read",
				"station → channel 1: item 1 accepted",
				"channel 1 → archive: item 1",
				"channel 1 → summary: item 2",
				"channel 1 → archive: end after 2",
				"archive → host: value (archive)",
				"survey: accepted: done",
			]),
		);
	});

	it("brings a request and its answer together", () => {
		const { rows } = model;
		const call = rows.findIndex(({ label }) => label.startsWith("capability/call archive.record"));
		const answer = rows[call]!.pair!;
		expect(rows[answer]).toMatchObject({ kind: "response", label: "value (archive)", pair: call });
		expect(answer).toBeGreaterThan(call);
	});

	it("filters by operation: the call, what it decided, and everything below it", () => {
		const shown = filterRows(model, { ...EVERYTHING, operation: "summarize" });
		const found = words(model, shown);
		expect(found).toEqual(
			expect.arrayContaining([
				"survey: dispatched summarize",
				"host → summary: flow/run with readings",
				"channel 1 → summary: item 1",
			]),
		);
		expect(found).toContain("host → survey: done (summarize)");
		expect(found.filter((line) => /station|archive/.test(line))).toEqual([]);
		const { lanes } = layColumns(model.lanes, model.rows, shown);
		expect(lanes.map((lane) => model.lanes[lane]!.label)).not.toContain("archive");
	});

	it("filters by kind, and by text in labels, lanes and frames", () => {
		const channels = words(model, filterRows(model, { ...EVERYTHING, groups: new Set(["channels"]) }));
		expect(channels.length).toBeGreaterThan(10);
		expect(channels.filter((line) => line.includes("flow/run"))).toEqual([]);
		const hobart = filterRows(model, { ...EVERYTHING, text: "hobart" });
		expect(hobart.length).toBeGreaterThan(1);
		expect(words(model, hobart)).toContain("host → survey: flow/run");
		expect(filterRows(model, { ...EVERYTHING, text: "nowhere at all" })).toEqual([]);
	});

	it("is the same from a file, and from the file that it writes itself", async () => {
		const read = await readTraceFile(fileOf(events));
		expect(read).toMatchObject({ values: true, truncated: false });
		expect(words(read.model)).toEqual(words(model));
		const again = await readTraceFile(new Blob([...writeTrace(read.model)]));
		expect(words(again.model)).toEqual(words(model));
	});

	it("says of a trace that reached its bound that its end is missing", async () => {
		const cut = new Blob([fileOf(events.slice(0, 9)), `${traceTruncated(1_000)}\n`]);
		expect(await readTraceFile(cut)).toMatchObject({ truncated: true, model: { events: { length: 9 } } });
	});

	it("reads a trace without values: order, sizes and decisions", async () => {
		const { model: bare, values } = await readTraceFile(fileOf(events, false));
		expect(values).toBe(false);
		const found = words(bare);
		expect(found.length).toBe(words(model).length);
		expect(found).toContain("survey: dispatched read");
		expect(found.some((line) => /^host → survey: \d+ bytes, not recorded$/.test(line))).toBe(true);
		expect(JSON.stringify(bare.events)).not.toContain("Hobart");
	});
});

describe("a trace that is none", () => {
	const refused = (text: string): Promise<unknown> => readTraceFile(new Blob([text])).catch((error: unknown) => error);
	const header = `${traceHeader(true)}\n`;

	it.each([
		["", 1, /empty/],
		["hello\n", 1, /no trace/],
		['{"millraceTrace":9,"values":true}\n', 1, /another version/],
		[`${header}{"atMs":1}\n`, 2, /Line 2/],
		[`${header}{"atMs":1,"path":[],"event":{"type":"session"}}\n`, 2, /session/],
		[`${header}{"atMs":"1","path":[],"event":{"type":"launched"}}\n`, 2, /time/],
		[`${header}{"atMs":1,"path":[{}],"event":{"type":"launched"}}\n`, 2, /path/],
		[
			`${header}{"atMs":1,"path":[],"event":{"type":"session","event":{"type":"sent","frame":{"elided":3}}}}\n`,
			2,
			/Line 2/,
		],
	])("%j is refused at its line", async (text, line, message) => {
		expect(await refused(text)).toMatchObject({
			name: "TraceFileError",
			line,
			message: expect.stringMatching(message),
		});
	});

	it("has words for whatever an event holds", () => {
		const odd = {
			atMs: 1,
			path: ["a"],
			digest,
			event: { type: "failed", code: { toString: 1 } },
		} as unknown as RunEvent;
		const hidden = { ...odd, event: { type: "activating", package: "x\u202ey", deadlineUnixMs: 0 } } as RunEvent;
		expect(words(modelOf([odd, hidden]))).toEqual(["x\\u{202e}y: failed: ?", "x\\u{202e}y: activating x\\u{202e}y"]);
	});
});

describe("a long trace", () => {
	const stamped = { version: 1, sequence: 0, during: 0 } as const;
	const frame = new TextEncoder().encode('{"jsonrpc":"2.0","method":"note"}');
	const sent: RunEvent = {
		atMs: 1,
		path: [],
		digest,
		event: { type: "session", event: { ...stamped, type: "sent", frame } },
	};

	it("keeps its beginning and its end within bounds, and says what it dropped", () => {
		const small = new SequenceModel({ events: 100, bytes: 1_000_000 });
		for (let index = 0; index < 150; index += 1) small.add(sent);
		small.add({ ...sent, event: { type: "failed", code: "DEADLINE_EXCEEDED", phase: "run", message: "Too late." } });
		expect(small.events.length).toBe(101);
		expect(small.dropped).toBe(50);
		expect(words(small).at(-1)).toBe("root: failed: DEADLINE_EXCEEDED");
		expect([...writeTrace(small)][101]).toMatch(/^\{"truncated":true/);
	});

	it("bounds the bytes of its frames", () => {
		const small = new SequenceModel({ events: 1_000, bytes: 20 * frame.length });
		for (let index = 0; index < 150; index += 1) small.add(sent);
		expect(small.bytes).toBeLessThanOrEqual(20 * frame.length);
		expect(small.dropped).toBe(130);
	});

	it("draws only the window that is looked at", () => {
		const opened = new Map([[10, 300]]);
		expect(topOf(10, 30, opened)).toBe(300);
		expect(topOf(11, 30, opened)).toBe(630);
		expect(windowOf(100_000, 30, opened, 30_000, 600, 5)).toEqual({ from: 985, to: 1_016 });
		expect(windowOf(0, 30, opened, 0, 600)).toEqual({ from: 0, to: 0 });
		expect(windowOf(3, 30, new Map(), 0, 600)).toEqual({ from: 0, to: 3 });
	});

	it("gives lanes beyond the last column to that one", () => {
		const many = new SequenceModel();
		for (let index = 0; index < 40; index += 1) many.add({ ...sent, path: [`child:${index}`] });
		const columns = layColumns(many.lanes, many.rows, [...many.rows.keys()]);
		expect(columns.lanes.length).toBe(MOST_COLUMNS);
		expect(columns.folded).toBe(41 - MOST_COLUMNS);
		expect(columns.of[40]).toBe(MOST_COLUMNS - 1);
	});

	it("marks what cancels", () => {
		const cancelling = modelOf([{ ...sent, event: { type: "cancelling", reason: "cancel" } }]);
		expect(cancelling.rows[0]!.groups & CANCELLATION).toBe(CANCELLATION);
	});
});
