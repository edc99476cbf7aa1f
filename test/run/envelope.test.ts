/** The fast way through a frame against the exact one: it may say nothing, but never anything else. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/json/index.ts";
import { EnvelopeReader } from "../../src/run/envelope.ts";
import { FrameReader } from "../../src/run/frames.ts";
import { UsedIds } from "../../src/run/ids.ts";
import { classify, type Message } from "../../src/run/messages.ts";
import { METHODS } from "../../src/run/methods.ts";
import { readRequest } from "../../src/run/requests.ts";
import { bytes, Component, callRequest, Host, ROOT_REQUEST, result } from "./harness.ts";

/** What the exact way makes of a frame; undefined where it is refused. */
function exact(text: string): Message | undefined {
	try {
		const message = classify(parseJson(bytes(text)));
		return message.kind === "invalid" ? undefined : message;
	} catch {
		return undefined;
	}
}

const reader = new EnvelopeReader(readRequest);

function read(text: string): Message | undefined {
	// Inside a longer text, as frames stand in a chunk.
	const before = '{"jsonrpc":"2.0","id":"a"}\n';
	const found = reader.read(`${before}${text}\n{"x":1}\n`, before.length, before.length + text.length);
	if (found === undefined) return undefined;
	const { checked, ...message } = found;
	if (message.kind === "request" && checked)
		expect(METHODS.get(message.method)?.params(message.params)).toBeUndefined();
	if (message.kind === "response" && typeof checked === "string" && "result" in message.reply) {
		expect(METHODS.get(checked)?.result(message.reply.result)).toBeUndefined();
	}
	return message;
}

const REQUEST = JSON.stringify(callRequest("component:7", "op:1", { a: [1, "ü", null], b: { c: "\ud83d\ude00" } }));
const RESPONSE = JSON.stringify(result("component:7", { value: { a: 1, "b:c": "d:e" } }));

const id = fc.oneof(
	fc.constantFrom("component:1", "host:1", "0", "-a", "", "a b", "ä", "c".repeat(128), "c".repeat(129), "x-1.2/3_4:5"),
	fc.string({ maxLength: 12 }),
);
const value = fc.oneof(
	fc.jsonValue().map((one) => JSON.stringify(one)),
	fc.constantFrom('{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '"\\ud800"', '{"\\ud800":1}', "1e400", "9007199254740993"),
	fc.constantFrom(
		'{"__proto__":1}',
		'{"__proto__":1,"__proto__":1}',
		'{"a":":","b":"\\":"}',
		'{"value" : 1}',
		"[[],{}]",
	),
	fc.integer({ min: 120, max: 135 }).map((count) => `${"[".repeat(count)}${"]".repeat(count)}`),
	fc.integer({ min: 120, max: 135 }).map((count) => `${'{"a":'.repeat(count)}1${"}".repeat(count)}`),
	fc.integer({ min: 120, max: 135 }).map((count) => `1${"0".repeat(8)}.${"1".repeat(count)}`),
	fc.integer({ min: 1_020, max: 1_030 }).map((count) => `{"${"n".repeat(count)}":1}`),
	fc.integer({ min: 340, max: 350 }).map((count) => `{"${"€".repeat(count)}":1}`),
);
const method = fc.constantFrom(
	"capability/call",
	"channel/next",
	"flow/run",
	"request/cancel",
	"toString",
	"ca\\u0070",
);
const frame = fc.oneof(
	fc.tuple(id, method, value).map(([id, method, params]) => {
		return `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
	}),
	fc.tuple(id, value).map(([id, result]) => `{"jsonrpc":"2.0","id":"${id}","result":${result}}`),
	fc.tuple(id, value, value).map(([id, a, b]) => `{"jsonrpc":"2.0","id":"${id}","result":${a},"result":${b}}`),
	fc.tuple(id, value).map(([id, a]) => `{"jsonrpc":"2.0","id":"${id}","result":${a},"error":{}}`),
	fc.tuple(id, value).map(([id, a]) => `{"jsonrpc":"2.0","id":"${id}","method":"channel/next","params":${a},"x":1}`),
);
const name = fc.oneof(
	fc.constantFrom("a", "a-b", "a--b", "-a", "a-", "A", "", "0", "b".repeat(64), "b".repeat(65), "a_b", "\\u0061", "ä"),
	fc.string({ maxLength: 8 }),
);
/** Requests in the usual order, with names that may be none. */
const usual = fc.oneof(
	fc.tuple(id, id, name, name, value).map(([id, operation, slot, method, input]) => {
		const params = `{"operationId":"${operation}","slot":"${slot}","method":"${method}","input":${input}}`;
		return `{"jsonrpc":"2.0","id":"${id}","method":"capability/call","params":${params}}`;
	}),
	fc.tuple(id, name, value).map(([operation, slot, input]) => {
		const params = `{"operationId":"${operation}","slot":"${slot}","input":${input}}`;
		return `{"jsonrpc":"2.0","id":"c:1","method":"flow/run-child","params":${params}}`;
	}),
	fc.tuple(id, value).map(([endpoint, value]) => {
		return `{"jsonrpc":"2.0","id":"c:1","method":"channel/send","params":{"endpoint":"${endpoint}","value":${value}}}`;
	}),
	fc.tuple(id, fc.constantFrom("next", "close", "release")).map(([endpoint, method]) => {
		return `{"jsonrpc":"2.0","id":"c:1","method":"channel/${method}","params":{"endpoint":"${endpoint}"}}`;
	}),
	value.map((value) => `{"jsonrpc":"2.0","id":"c:1","result":{"value":${value}}}`),
);
/** A frame in which some units were replaced, left out or doubled. */
const damaged = fc
	.tuple(
		fc.oneof(frame, usual, fc.constantFrom(REQUEST, RESPONSE)),
		fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]":, \\1a'), fc.nat(2))),
	)
	.map(([text, changes]) =>
		changes.reduce((all, [place, unit, kind]) => {
			const at = place % all.length;
			return kind === 0
				? all.slice(0, at) + unit + all.slice(at + 1)
				: kind === 1
					? all.slice(0, at) + all.slice(at + 1)
					: all.slice(0, at) + unit + all.slice(at);
		}, text),
	);

describe("the fast way through a frame", () => {
	it("reads what conforming peers write", () => {
		const child = { operationId: "a", slot: "b", intent: "c", input: 1, channels: { d: "e" } };
		const send = { endpoint: "channel:1", value: [1] };
		for (const text of [
			REQUEST,
			RESPONSE,
			JSON.stringify(ROOT_REQUEST),
			JSON.stringify({ jsonrpc: "2.0", id: "c:1", method: "flow/run-child", params: child }),
			JSON.stringify({
				jsonrpc: "2.0",
				id: "c:1",
				method: "flow/run-child",
				params: { operationId: "a", slot: "b", input: 1 },
			}),
			JSON.stringify({ jsonrpc: "2.0", id: "c:1", method: "channel/send", params: send }),
			JSON.stringify({ jsonrpc: "2.0", id: "c:1", method: "channel/next", params: { endpoint: "channel:1" } }),
			JSON.stringify({ jsonrpc: "2.0", id: "c:1", method: "channel/create", params: {} }),
			JSON.stringify(result("c:1", { item: { sequence: 1, value: 2 } })),
			JSON.stringify(result("c:1", null)),
		]) {
			expect(read(text)).toEqual(exact(text));
			expect(read(text)).toBeDefined();
		}
	});

	it("says nothing, or what the exact way says", () => {
		fc.assert(
			fc.property(fc.oneof(frame, usual, damaged), (text) => {
				fc.pre(!text.includes("\n") && text.isWellFormed());
				const found = read(text);
				if (found !== undefined) expect(found).toEqual(exact(text));
			}),
			{ numRuns: 8_000 },
		);
	});

	it("leaves to the exact way what names on Object.prototype could hide", () => {
		const doubled = '{"jsonrpc":"2.0","id":"c:1","result":{"lent":1,"lent":2}}';
		const single = '{"jsonrpc":"2.0","id":"c:1","result":{"lent":1,"own":2}}';
		Object.defineProperty(Object.prototype, "lent", { value: 0, enumerable: true, configurable: true, writable: true });
		const found = [read(doubled), exact(doubled), read(single)];
		delete (Object.prototype as { lent?: unknown }).lent;
		expect(found).toEqual([undefined, undefined, exact(single)]);
	});
});

describe("frames that come together", () => {
	/** Everything a session says when its input comes in these chunks, the chunks themselves left out. */
	function said(chunks: readonly Uint8Array[], role: "component" | "host"): unknown[] {
		const end = role === "host" ? Host.running() : new Component();
		for (const chunk of chunks) {
			end.session.receive(chunk);
			end.flush();
		}
		return end.events
			.filter(({ type }) => type !== "chunk" && type !== "sent" && type !== "written")
			.map(({ sequence: _, during: __, version: ___, ...event }) =>
				"frame" in event ? { ...event, frame: Buffer.from(event.frame).toString("latin1") } : event,
			);
	}

	const REQUESTS: readonly Uint8Array[] = [
		...["component:1", "component:2", "component:4", "x"].map((id, at) =>
			bytes(JSON.stringify(callRequest(id, `op:${at}`))),
		),
		bytes(JSON.stringify(callRequest("ü", "op:9"))),
		bytes(JSON.stringify(callRequest("component:3", "op:3", "größer 🌊"))),
		bytes('{ "id": "s:1", "jsonrpc": "2.0", "method": "capability/call", "params": {} }'),
		bytes('{"jsonrpc":"2.0","method":"request/cancel","params":{"requestId":"component:1"}}'),
		bytes('{"jsonrpc":"2.0","id":"c","result":null}'),
		bytes(""),
		bytes("{"),
		new Uint8Array([0x22, 0xff, 0x22]),
		bytes(JSON.stringify(ROOT_REQUEST)),
	];

	it("mean what they mean one by one", () => {
		fc.assert(
			fc.property(
				fc.array(fc.nat(REQUESTS.length - 1), { maxLength: 12 }),
				fc.constantFrom<"component" | "host">("component", "host"),
				(picks, role) => {
					const frames = picks.map((pick) => Buffer.concat([REQUESTS[pick]!, bytes("\n")]));
					expect(said([Buffer.concat(frames)], role)).toEqual(said(frames, role));
				},
			),
			{ numRuns: 500 },
		);
	});

	it("are the same frames taken one by one or in runs", () => {
		const lines = fc.array(fc.oneof(fc.nat(20), fc.integer({ min: 65_000, max: 66_000 })), { maxLength: 8 });
		fc.assert(
			fc.property(lines, fc.nat(140_000), (lengths, place) => {
				const stream = Buffer.concat(lengths.map((length) => Buffer.from(`${"a".repeat(length)}\n`)));
				const split = new FrameReader();
				const found: number[] = [];
				for (const chunk of [stream.subarray(0, place), stream.subarray(place)]) {
					split.push(chunk);
					for (;;) {
						const run = split.nextRun();
						if (run !== undefined) {
							const ends = Buffer.from(run).toString("latin1").split("\n");
							expect(ends.pop()).toBe("");
							found.push(...ends.map((line) => line.length));
							continue;
						}
						const next = split.next();
						if (next === undefined) break;
						found.push(next.length);
					}
				}
				expect(found).toEqual(lengths);
			}),
			{ numRuns: 200 },
		);
	});
});

describe("Run/1 section 1: ids are never reused", () => {
	it("a peer that counts and one that doesn't are told apart from nothing", () => {
		const text = fc.oneof(
			fc.nat(40).map((count) => `component:${count}`),
			fc.nat(12).map(String),
			fc.constantFrom(
				"component:007",
				"component:",
				"component:1e1",
				"component:99999999999999999999",
				"7a",
				"component:1x",
			),
		);
		fc.assert(
			fc.property(fc.array(text), (ids) => {
				const used = new UsedIds();
				const set = new Set<string>();
				for (const id of ids) {
					expect(used.has(id)).toBe(set.has(id));
					if (!set.has(id)) used.add(id);
					set.add(id);
					expect(used.size).toBe(set.size);
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	it("counting costs no entry: 65,536 ids in order, each known afterwards", () => {
		const used = new UsedIds();
		for (let count = 1; count <= 65_536; count++) used.add(`component:${count}`);
		expect([used.size, used.has("component:1"), used.has("component:65536"), used.has("component:65537")]).toEqual([
			65_536,
			true,
			true,
			false,
		]);
	});
});
