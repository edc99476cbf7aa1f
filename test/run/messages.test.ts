import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/json/index.ts";
import { checkMessage, LOCAL_CODES, OPERATIONAL_ERROR, WIRE_CODES } from "../../src/run/index.ts";
import { METHODS } from "../../src/run/methods.ts";
import { vectors } from "../house/vectors.ts";

interface MessageVectors {
	readonly valid: readonly { readonly name: string; readonly definition: string; readonly value: JsonValue }[];
	readonly invalid: readonly { readonly name: string; readonly definition: string; readonly value: JsonValue }[];
}

const messages = vectors("run-1/messages.json") as MessageVectors | undefined;
const schema = vectors("machine/run-1.schema.json") as Record<string, unknown> | undefined;
const registry = vectors("machine/run-1-errors.json") as Record<string, unknown> | undefined;

describe.skipIf(registry === undefined)("Run/1 section 7: the error registry", () => {
	it("is this library's table", () => {
		expect({ jsonRpcCode: OPERATIONAL_ERROR, wire: [...WIRE_CODES], local: [...LOCAL_CODES] }).toEqual({
			jsonRpcCode: registry?.jsonRpcCode,
			wire: registry?.wire,
			local: registry?.local,
		});
	});
});

/** The methods whose results a response definition of the machine schema covers. */
const RESULTS: Record<string, readonly string[]> = {
	runSuccessResponse: ["flow/run"],
	capabilitySuccessResponse: ["capability/call"],
	channelSuccessResponse: [...METHODS.keys()].filter((method) => method.startsWith("channel/")),
};

/** Whether a message is valid, and of the kind that its definition names. */
function isA(definition: string, value: JsonValue): boolean {
	if (checkMessage(value) !== undefined) return false;
	const methods = RESULTS[definition];
	const { result } = value as { readonly result: JsonValue };
	return methods === undefined || methods.some((method) => METHODS.get(method)?.result(result) === undefined);
}

describe.skipIf(messages === undefined)("the standard's message vectors", () => {
	it.each(messages?.valid ?? [])("accepts $name", ({ definition, value }) => expect(isA(definition, value)).toBe(true));
	it.each(messages?.invalid ?? [])("refuses $name", ({ definition, value }) =>
		expect(isA(definition, value)).toBe(false),
	);
});

/** Values that lie on the edges of the grammars: what a mutation puts in a place. */
const EDGES: readonly JsonValue[] = [
	null,
	true,
	false,
	0,
	-1,
	1,
	1.5,
	-32000,
	-32600,
	-32601,
	-32602,
	-32603,
	-32700,
	9007199254740991,
	"",
	"a",
	"A",
	"-",
	"a-b",
	"a--b",
	"a\n",
	"run/1",
	"run/0",
	"2.0",
	"host:1",
	"é",
	"x".repeat(64),
	"x".repeat(65),
	"x".repeat(128),
	"x".repeat(129),
	"\u{1f600}".repeat(1_024),
	"\u{1f600}".repeat(1_025),
	"y".repeat(16_384),
	"y".repeat(16_385),
	"\u{1f600}".repeat(16_384),
	"./a",
	"./a\\b",
	"a/b",
	`./${"z".repeat(4_094)}`,
	`./${"z".repeat(4_095)}`,
	"read",
	"read-write",
	"send",
	"receive",
	"direct",
	"broadcast",
	"released",
	"ended",
	"failed",
	"CANCELLED",
	"LAGGED",
	"PROTOCOL_ERROR",
	"https://example.org/a",
	"https://127.0.0.1/a",
	"https://256.0.0.1/a",
	"https://example.org/..",
	"1.0.0",
	"01.0.0",
	`sha256:${"0".repeat(64)}`,
	`sha256:${"0".repeat(63)}`,
	[],
	{},
	[null],
	{ path: "/a", access: "read" },
	{ endpoint: "e", direction: "send", delivery: "direct" },
	{ endpoint: "e", direction: "receive", delivery: "direct", startSequence: 1 },
	{ endpoint: "e", direction: "receive", delivery: "direct", startSequence: 2 },
	{ endpoint: "e", direction: "receive", delivery: "broadcast", startSequence: 2 },
	{ id: "https://example.org/a", version: "1.0.0", digest: `sha256:${"0".repeat(64)}` },
	{ value: null },
	{ outcome: "done", output: null },
	{ name: "n", data: null },
];

const NAMES = [
	..."jsonrpc id method params result error protocol input settings attachments scratch deadlineUnixMs channels".split(
		" ",
	),
	..."operationId slot intent requestId code message data details outcome output value name delivery schema".split(" "),
	..."contract source endpoint direction startSequence send receive item end sequence lastSequence status".split(" "),
	..."path access a x-1 toString __proto__ constructor".split(" "),
];

type Step =
	| { readonly kind: "replace"; readonly at: number; readonly value: JsonValue }
	| {
			readonly kind: "add";
			readonly at: number;
			readonly name: string;
			readonly definition: string;
			readonly value: JsonValue;
	  }
	| { readonly kind: "rename"; readonly at: number; readonly name: string }
	| { readonly kind: "remove"; readonly at: number }
	| { readonly kind: "fill"; readonly at: number; readonly count: number; readonly value: JsonValue };

type Place = { readonly holder: Record<string, JsonValue>; readonly name: string };

function placesOf(value: unknown): Place[] {
	const places: Place[] = [];
	const walk = (holder: Record<string, JsonValue>): void => {
		for (const name of Object.keys(holder)) {
			places.push({ holder, name });
			const child = holder[name];
			if (typeof child === "object" && child !== null) walk(child as Record<string, JsonValue>);
		}
	};
	walk({ root: value as JsonValue });
	return places;
}

function define(holder: Record<string, JsonValue>, name: string, value: JsonValue): void {
	Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

function mutate(message: JsonValue, steps: readonly Step[]): JsonValue {
	const box: { root: JsonValue } = { root: structuredClone(message) as JsonValue };
	for (const step of steps) {
		const places = placesOf(box.root).map((place) =>
			place.name === "root" && place.holder.root === box.root
				? { holder: box as Record<string, JsonValue>, name: "root" }
				: place,
		);
		const place = places[step.at % places.length]!;
		const target = place.holder[place.name];
		const object =
			typeof target === "object" && target !== null && !Array.isArray(target)
				? (target as Record<string, JsonValue>)
				: undefined;
		if (step.kind === "replace") define(place.holder, place.name, structuredClone(step.value) as JsonValue);
		else if (step.kind === "add" && object) define(object, step.name, structuredClone(step.value) as JsonValue);
		else if (step.kind === "fill" && object)
			for (let i = 0; i < step.count; i++) define(object, `n${i}`, structuredClone(step.value) as JsonValue);
		else if (place.name !== "root" && !Array.isArray(place.holder)) {
			if (step.kind === "remove") delete place.holder[place.name];
			else if (step.kind === "rename" && target !== undefined) {
				delete place.holder[place.name];
				define(place.holder, step.name, target);
			}
		}
	}
	return box.root;
}

const at = fc.nat({ max: 60 });
const edge: fc.Arbitrary<JsonValue> = fc.constantFrom(...EDGES);
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
	fc.record({ kind: fc.constant("replace" as const), at, value: edge }),
	fc.record({ kind: fc.constant("add" as const), at, name, value: edge }),
	fc.record({ kind: fc.constant("rename" as const), at, name }),
	fc.record({ kind: fc.constant("remove" as const), at }),
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant("fill" as const),
			at,
			count: fc.constantFrom(255, 256, 257),
			value: edge,
		}),
	},
) as fc.Arbitrary<unknown> as fc.Arbitrary<Step>;

/** More seeds than the published vectors: errors, grants and every kind of result. */
const SEEDS: readonly JsonValue[] = [
	...(messages?.valid ?? []).map(({ value }) => value),
	{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "m" } },
	{ jsonrpc: "2.0", id: null, error: { code: -32600, message: "m", data: 1 } },
	{ jsonrpc: "2.0", id: "a", error: { code: -32601, message: "m" } },
	{ jsonrpc: "2.0", id: "a", error: { code: -32000, message: "m", data: { code: "LAGGED", details: [1] } } },
	{
		jsonrpc: "2.0",
		id: "host:1",
		method: "flow/run",
		params: {
			protocol: "run/1",
			input: null,
			settings: {},
			attachments: { a: { path: "/a", access: "read-write" } },
			scratch: "/s",
			deadlineUnixMs: 0,
			channels: {
				a: { endpoint: "e1", direction: "send", delivery: "direct" },
				b: {
					endpoint: "e2",
					direction: "receive",
					delivery: "broadcast",
					startSequence: 7,
					contract: { id: "https://example.org/a/b", version: "1.2.3", digest: `sha256:${"ab".repeat(32)}` },
				},
			},
		},
	},
	{ jsonrpc: "2.0", id: "a", method: "channel/subscribe", params: { source: "s" } },
	{ jsonrpc: "2.0", id: "a", method: "channel/create", params: { delivery: "broadcast", schema: { type: "string" } } },
	{
		jsonrpc: "2.0",
		id: "a",
		result: { send: { endpoint: "e", direction: "send", delivery: "broadcast" }, source: "s" },
	},
	{ jsonrpc: "2.0", id: "a", result: { endpoint: "e", direction: "receive", delivery: "broadcast", startSequence: 3 } },
	{ jsonrpc: "2.0", id: "a", result: { status: "ended", lastSequence: 0 } },
	{ jsonrpc: "2.0", id: "a", result: { status: "failed", code: "UNCERTAIN", details: {} } },
];

describe.skipIf(schema === undefined)("Run/1 section 10: the published machine schema", () => {
	const published = schema === undefined ? undefined : new Ajv2020({ strict: false }).compile(schema);

	it("has the methods of our table", () => {
		const defs = schema?.$defs as Record<string, { properties?: { method?: { const?: string } } }>;
		const declared = Object.values(defs).flatMap((def) => def.properties?.method?.const ?? []);
		expect(new Set([...METHODS.keys(), "request/cancel"])).toEqual(new Set(declared));
	});

	it("accepts every seed as we do", () => {
		for (const seed of SEEDS) expect([published?.(seed), checkMessage(seed)]).toEqual([true, undefined]);
	});

	/*
	 * One justified difference: the schema's pattern of a contract id knows dotted quads of at most three digits a label; we
	 * also refuse longer spellings of the same numbers ("0127.0.0.1"). No edge value above has one.
	 */
	it("gives the same verdict on mutated messages", () => {
		const verdicts = { valid: 0, invalid: 0 };
		fc.assert(
			fc.property(fc.constantFrom(...SEEDS), fc.array(step, { minLength: 1, maxLength: 3 }), (seed, steps) => {
				const message = mutate(seed, steps);
				const ours = checkMessage(message) === undefined;
				verdicts[ours ? "valid" : "invalid"] += 1;
				expect(ours, JSON.stringify(message).slice(0, 400)).toBe(published?.(message));
			}),
			{ numRuns: 8_000 },
		);
		// The mutations must reach both sides often, or the comparison says little.
		expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(400);
	});
});
