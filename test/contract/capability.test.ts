import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CAPABILITY_CONTRACT_URI,
	ContractError,
	type ContractErrorCode,
	parseCapabilityContract,
	parseCapabilityContractValue,
} from "../../src/contract/index.ts";
import { JsonError, type JsonValue } from "../../src/json/index.ts";
import { SchemaError } from "../../src/schema/index.ts";
import { vectorBytes, vectors, vectorsDirectory } from "../house/vectors.ts";
import { machineValidator, mutate } from "./machine.ts";

// biome-ignore lint/suspicious/noExplicitAny: cases are deliberately shapeless
type Any = any;

const base = (): Any => ({
	$schema: CAPABILITY_CONTRACT_URI,
	flowCapabilityContract: 1,
	id: "https://example.org/contracts/index",
	version: "1.0.0",
	methods: { find: { input: true, output: true, errors: {} } },
});

function changed(change: (descriptor: Any) => void): string {
	const descriptor = base();
	change(descriptor);
	return JSON.stringify(descriptor);
}

function refusal(source: string | Uint8Array): ContractError {
	try {
		parseCapabilityContract(source);
	} catch (error) {
		expect(error).toBeInstanceOf(ContractError);
		return error as ContractError;
	}
	throw new Error("accepted");
}

describe("Capability Contract/1 section 1: the descriptor", () => {
	test("the smallest one passes", () => {
		const contract = parseCapabilityContract(changed(() => {}));
		expect(contract.identity).toMatchObject({ id: "https://example.org/contracts/index", version: "1.0.0" });
		expect([...contract.methods.keys()]).toEqual(["find"]);
		expect(contract.references).toEqual([]);
		const find = contract.methods.get("find")!;
		expect(find.input.accepts({ anything: [1] })).toBe(true);
		expect(find.channels.size).toBe(0);
	});

	test.each<[string, ContractErrorCode, string, (descriptor: Any) => void]>([
		["another $schema", "CONTRACT_INVALID", "/$schema", (d) => (d.$schema += "x")],
		["no $schema", "CONTRACT_INVALID", "", (d) => delete d.$schema],
		["no format member", "CONTRACT_INVALID", "", (d) => delete d.flowCapabilityContract],
		["format 2", "CONTRACT_INVALID", "/flowCapabilityContract", (d) => (d.flowCapabilityContract = 2)],
		["format true", "CONTRACT_INVALID", "/flowCapabilityContract", (d) => (d.flowCapabilityContract = true)],
		['format "1"', "CONTRACT_INVALID", "/flowCapabilityContract", (d) => (d.flowCapabilityContract = "1")],
		["a bad id", "CONTRACT_INVALID", "/id", (d) => (d.id += "\n")],
		["a bad version", "CONTRACT_INVALID", "/version", (d) => (d.version = "1.0.0\n")],
		["no methods member", "CONTRACT_INVALID", "", (d) => delete d.methods],
		["no method", "CONTRACT_INVALID", "/methods", (d) => (d.methods = {})],
		["an array of methods", "CONTRACT_INVALID", "/methods", (d) => (d.methods = [])],
		["a method named otherwise", "CONTRACT_INVALID", "/methods/Find", (d) => (d.methods.Find = d.methods.find)],
		[
			"a method name ending in a newline",
			"CONTRACT_INVALID",
			"/methods/x\n",
			(d) => (d.methods["x\n"] = d.methods.find),
		],
		["a method that is true", "CONTRACT_INVALID", "/methods/find", (d) => (d.methods.find = true)],
		["a method without input", "CONTRACT_INVALID", "/methods/find", (d) => delete d.methods.find.input],
		["a method without output", "CONTRACT_INVALID", "/methods/find", (d) => delete d.methods.find.output],
		["a method without errors", "CONTRACT_INVALID", "/methods/find", (d) => delete d.methods.find.errors],
		["an unknown root field", "CONTRACT_INVALID", "/title", (d) => (d.title = "x")],
		[
			"an unknown method field",
			"CONTRACT_INVALID",
			"/methods/find/description",
			(d) => (d.methods.find.description = "x"),
		],
		["x- fields too", "CONTRACT_INVALID", "/x-a", (d) => (d["x-a"] = 1)],
		["a field named toString", "CONTRACT_INVALID", "/toString", (d) => (d.toString = 1)],
		["errors as an array", "CONTRACT_INVALID", "/methods/find/errors", (d) => (d.methods.find.errors = [])],
		[
			"an error named otherwise",
			"CONTRACT_INVALID",
			"/methods/find/errors/a_b",
			(d) => (d.methods.find.errors.a_b = true),
		],
		["null as a schema", "CONTRACT_INVALID", "/methods/find/input", (d) => (d.methods.find.input = null)],
		["$defs as an array", "CONTRACT_INVALID", "/$defs", (d) => (d.$defs = [])],
		["$defs: null", "CONTRACT_INVALID", "/$defs", (d) => (d.$defs = null)],
	])("refuses %s", (_, code, pointer, change) => {
		expect(refusal(changed(change))).toMatchObject({ code, pointer });
	});

	test.each<[string, ContractErrorCode, string, string, (descriptor: Any) => void]>([
		["a bad definition name", "CONTRACT_INVALID", "SCHEMA_INVALID", "/$defs/1a", (d) => (d.$defs = { "1a": true })],
		[
			"$schema repeated in a schema (C5)",
			"CONTRACT_INVALID",
			"SCHEMA_INVALID",
			"/methods/find/input/$schema",
			(d) => (d.methods.find.input = { $schema: "https://flow.jig.md/schemas/schema-1.json" }),
		],
		[
			"$defs in a schema",
			"CONTRACT_INVALID",
			"SCHEMA_INVALID",
			"/methods/find/output/$defs",
			(d) => (d.methods.find.output = { $defs: {} }),
		],
		[
			"an unsupported keyword",
			"CONTRACT_INVALID",
			"SCHEMA_KEYWORD_UNSUPPORTED",
			"/methods/find/errors/gone/pattern",
			(d) => (d.methods.find.errors.gone = { pattern: "a" }),
		],
		[
			"an unsupported keyword in an unused definition",
			"CONTRACT_INVALID",
			"SCHEMA_KEYWORD_UNSUPPORTED",
			"/$defs/A/format",
			(d) => (d.$defs = { A: { format: "date" } }),
		],
		[
			"a reference to nothing",
			"CONTRACT_REFERENCE_INVALID",
			"SCHEMA_REFERENCE_INVALID",
			"/methods/find/input/$ref",
			(d) => (d.methods.find.input = { $ref: "#/$defs/A" }),
		],
		[
			"a cycle of definitions",
			"CONTRACT_REFERENCE_INVALID",
			"SCHEMA_REFERENCE_INVALID",
			"/$defs/A/$ref",
			(d) => (d.$defs = { A: { $ref: "#/$defs/A" } }),
		],
	])("tells of %s with the schema's code", (_, code, schemaCode, pointer, change) => {
		const error = refusal(changed(change));
		expect(error).toMatchObject({ code, schemaCode, pointer });
		expect(error.cause).toBeInstanceOf(SchemaError);
	});

	test("names the place once in its message, escaped", () => {
		const { message } = refusal(changed((d) => (d.methods["\u202e"] = true)));
		expect(message).toBe('"/methods/\\u{202e}": A method name must be a LocalName such as "read-all".');
		const nested = refusal(changed((d) => (d.methods.find.input = { pattern: "a" })));
		expect(nested.message.split("/methods/find/input/pattern")).toHaveLength(2);
	});

	test.each<[string, (descriptor: Any) => void]>([
		["flowCapabilityContract 1.0 (C9)", () => {}],
		["false as a schema (C9)", (d) => (d.methods.find.input = false)],
		["an empty $defs", (d) => (d.$defs = {})],
		["a definition that nothing uses", (d) => (d.$defs = { A: { type: "string" } })],
		[
			"annotations in a schema",
			(d) => (d.methods.find.input = { title: "t", description: "d", examples: [{}], $comment: "c" }),
		],
	])("accepts %s", (_, change) => {
		const text = changed(change).replace('"flowCapabilityContract":1', '"flowCapabilityContract":1.0');
		expect(() => parseCapabilityContract(text)).not.toThrow();
	});

	test("method, error and definition counts: the maximum passes, one more doesn't", () => {
		const many = (count: number): Any => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, true]));
		const methods = (count: number): string =>
			changed((d) => (d.methods = Object.fromEntries(Object.keys(many(count)).map((name) => [name, d.methods.find]))));
		expect(parseCapabilityContract(methods(256)).methods.size).toBe(256);
		expect(refusal(methods(257))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED", pointer: "/methods" });
		const errors = (count: number): string => changed((d) => (d.methods.find.errors = many(count)));
		expect(parseCapabilityContract(errors(128)).methods.get("find")!.errors.size).toBe(128);
		expect(refusal(errors(129))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED", pointer: "/methods/find/errors" });
		const defs = (count: number): string => changed((d) => (d.$defs = many(count)));
		expect(() => parseCapabilityContract(defs(1_024))).not.toThrow();
		expect(refusal(defs(1_025))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED", pointer: "/$defs" });
	});

	test("names of 64 characters pass, of 65 don't", () => {
		const named = (length: number): string => changed((d) => (d.methods["a".repeat(length)] = d.methods.find));
		expect(parseCapabilityContract(named(64)).methods.size).toBe(2);
		expect(refusal(named(65))).toMatchObject({ code: "CONTRACT_INVALID" });
	});
});

describe("Capability Contract/1 section 1: bounds of the whole", () => {
	const padded = (bytes: number): Uint8Array => {
		const text = changed(() => {});
		return new TextEncoder().encode(text + " ".repeat(bytes - text.length));
	};

	test("262,144 bytes pass, one more is refused before anything is parsed", () => {
		expect(() => parseCapabilityContract(padded(262_144))).not.toThrow();
		expect(refusal(padded(262_145))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED", pointer: "" });
		expect(refusal(new Uint8Array(262_145).fill(0xff))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED" });
	});

	test("a text is measured in the bytes of its UTF-8", () => {
		const emoji = "😀".repeat(70_000);
		const text = changed((d) => (d.methods.find.input = { title: emoji }));
		expect(text.length).toBeLessThan(262_144);
		expect(refusal(text)).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED" });
	});

	test("nodes are counted over the whole graph (C4)", () => {
		// Each of 256 methods: input with 15 nodes, output 1. 4,096 nodes in all are the limit, however they are spread.
		const wide = (extra: number): string =>
			changed((d) => {
				d.methods = {};
				for (let i = 0; i < 256; i++) {
					d.methods[`m${i}`] = { input: { prefixItems: Array(14).fill(true) }, output: true, errors: {} };
				}
				if (extra > 0) d.$defs = Object.fromEntries(Array.from({ length: extra }, (_, i) => [`D${i}`, true]));
			});
		expect(() => parseCapabilityContract(wide(0))).not.toThrow();
		expect(refusal(wide(1))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED", schemaCode: "SCHEMA_LIMIT_EXCEEDED" });
	});

	test("every root and every definition has depth 1 (C4)", () => {
		const nested = (depth: number): Any => (depth === 1 ? true : { not: nested(depth - 1) });
		expect(() => parseCapabilityContract(changed((d) => (d.methods.find.input = nested(64))))).not.toThrow();
		expect(() => parseCapabilityContract(changed((d) => (d.$defs = { A: nested(64) })))).not.toThrow();
		for (const change of [
			(d: Any) => (d.methods.find.errors.x = nested(65)),
			(d: Any) => (d.$defs = { A: nested(65) }),
		]) {
			expect(refusal(changed(change))).toMatchObject({ schemaCode: "SCHEMA_LIMIT_EXCEEDED" });
		}
	});
});

describe("Capability Contract/1: JSON/1 first", () => {
	const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
	test.each<[string, Uint8Array | string]>([
		["a byte order mark", new Uint8Array([0xef, 0xbb, 0xbf, ...utf8(changed(() => {}))])],
		["a duplicate member", changed(() => {}).replace('"version"', '"id":"https://example.org/b","version"')],
		[
			"a duplicate member, escaped",
			changed(() => {}).replace('"version"', '"\\u0069d":"https://example.org/b","version"'),
		],
		["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
		["trailing text", `${changed(() => {})} x`],
		["nothing", ""],
	])("refuses %s", (_, source) => {
		const error = refusal(source);
		expect(error).toMatchObject({ code: "CONTRACT_INVALID_JSON", pointer: "" });
		expect(error.cause).toBeInstanceOf(JsonError);
	});

	test.each([["[]"], ["null"], ["true"], ['"x"']])("refuses the root %s", (source) => {
		expect(refusal(source)).toMatchObject({ code: "CONTRACT_INVALID", pointer: "" });
	});
});

describe("Capability Contract/1: channels of methods", () => {
	const withChannel = (declaration: Any, more: (d: Any) => void = () => {}): string =>
		changed((d) => {
			d.methods.find.channels = { events: declaration };
			more(d);
		});

	test("an inline schema is a root of the same graph and may use the descriptor's $defs (C3)", () => {
		const text = withChannel(
			{ direction: "send", schema: { $ref: "#/$defs/Item" } },
			(d) => (d.$defs = { Item: { type: "string" } }),
		);
		const events = parseCapabilityContract(text).methods.get("find")!.channels.get("events")!;
		expect(events.schema!.accepts("x")).toBe(true);
		expect(events.schema!.accepts(1)).toBe(false);
		expect(events.schemaValue).toEqual({ $ref: "#/$defs/Item" });
	});

	test("its nodes count with the others", () => {
		const schema = { prefixItems: Array(4_093).fill(true) };
		expect(() => parseCapabilityContract(withChannel({ direction: "send", schema }))).not.toThrow();
		schema.prefixItems.push(true);
		expect(refusal(withChannel({ direction: "send", schema }))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED" });
	});

	test("it has no $defs or $schema of its own", () => {
		expect(refusal(withChannel({ direction: "send", schema: { $defs: {} } }))).toMatchObject({
			schemaCode: "SCHEMA_INVALID",
			pointer: "/methods/find/channels/events/schema/$defs",
		});
	});

	test("contract references are collected once each, resolved from the package root (C7)", () => {
		const text = changed((d) => {
			d.methods.find.channels = {
				a: { direction: "send", contract: "./contracts/updates.json" },
				b: { direction: "receive", contract: "./contracts/updates.json" },
			};
			d.methods.next = {
				input: true,
				output: true,
				errors: {},
				channels: { c: { direction: "send", contract: "./b.json" } },
			};
		});
		expect(parseCapabilityContract(text).references).toEqual(["contracts/updates.json", "b.json"]);
	});

	test("their number has no bound of its own (C8)", () => {
		const text = changed((d) => {
			d.methods.find.channels = Object.fromEntries(
				Array.from({ length: 300 }, (_, i) => [`c${i}`, { direction: "send" }]),
			);
		});
		expect(parseCapabilityContract(text).methods.get("find")!.channels.size).toBe(300);
	});

	test("a misspelled reference is told at its place", () => {
		expect(refusal(withChannel({ direction: "send", contract: "../x.json" }))).toMatchObject({
			code: "CONTRACT_REFERENCE_INVALID",
			pointer: "/methods/find/channels/events/contract",
		});
	});
});

describe("Capability Contract/1 section 3: digest", () => {
	test.skipIf(vectorsDirectory === undefined)("the normative session-store descriptor", () => {
		const { identity, methods } = parseCapabilityContract(vectorBytes("contracts/session-store.capability.json")!);
		expect(identity).toEqual({
			id: "https://example.org/contracts/session-store",
			version: "1.0.0",
			digest: "sha256:95717125236427f83f401e2f942bb4df46e95867ac34828d719cc9795e5b3e98",
		});
		const read = methods.get("read")!;
		expect(read.input.accepts({ sessionId: "s-1" })).toBe(true);
		expect(read.input.accepts({ sessionId: "" })).toBe(false);
		expect(read.errors.get("not-found")!.accepts({})).toBe(false);
		expect(read.errors.has("gone")).toBe(false);
	});

	test.skipIf(vectorsDirectory === undefined)("Agent Run, and its circulating wrong copy", () => {
		const right = parseCapabilityContract(vectorBytes("contracts/agent-run.capability.json")!);
		expect(right.identity.digest).toBe("sha256:5e7df4408fd1f6aebf7e1269573a10ff87c7374248a51dacb63cd1c9c97e2b56");
		expect(right.references).toEqual(["contracts/acp-public-updates.json"]);
		const wrong = parseCapabilityContract(vectorBytes("contracts/agent-run.direct-only.capability.json")!);
		expect(wrong.identity.digest).toMatch(/^sha256:b43fba88/);
	});

	test("is SHA-256 over the domain separator and the sorted compact text", () => {
		const { identity } = parseCapabilityContract(changed(() => {}));
		const canonical =
			'{"$schema":"https://flow.jig.md/schemas/capability-contract-1.schema.json","flowCapabilityContract":1,' +
			'"id":"https://example.org/contracts/index","methods":{"find":{"errors":{},"input":true,"output":true}},"version":"1.0.0"}';
		const expected = createHash("sha256").update("FLOW-Capability-Contract/1\0").update(canonical).digest("hex");
		expect(identity.digest).toBe(`sha256:${expected}`);
	});

	test("doesn't depend on the order of members, white space or the spelling of 1", () => {
		const shuffled =
			'{ "methods":{"find":{"output":true,"errors":{},"input":true}}, "version":"1.0.0", "flowCapabilityContract":1e0,' +
			'"id":"https:\\/\\/example.org/contracts/index", "$schema":"https://flow.jig.md/schemas/capability-contract-1.schema.json"}';
		expect(parseCapabilityContract(shuffled).identity).toEqual(parseCapabilityContract(changed(() => {})).identity);
	});

	test.each<[string, (d: Any) => void]>([
		["an annotation", (d) => (d.methods.find.input = { title: "Find" })],
		["a spelled-out default (D5)", (d) => (d.methods.find.channels = { a: { direction: "send", required: true } })],
		["true against {}", (d) => (d.methods.find.input = {})],
		["an empty channels map", (d) => (d.methods.find.channels = {})],
		["the version", (d) => (d.version = "1.0.1")],
	])("changes with %s", (_, change) => {
		const digests = new Set(
			[changed(() => {}), changed(change)].map((text) => parseCapabilityContract(text).identity.digest),
		);
		expect(digests.size).toBe(2);
	});

	test("omissions stay omitted in the descriptor", () => {
		const text = changed((d) => (d.methods.find.channels = { a: { direction: "receive" } }));
		const contract = parseCapabilityContract(text);
		expect(contract.descriptor).toEqual(JSON.parse(text));
		expect(contract.methods.get("find")!.channels.get("a")).toEqual({
			direction: "receive",
			required: true,
			start: "beginning",
		});
	});

	test("a lent hash gives the same digest", () => {
		const sha256 = () => {
			const hash = createHash("sha256");
			return { update: (bytes: Uint8Array) => hash.update(bytes), digest: () => new Uint8Array(hash.digest()) };
		};
		const text = changed(() => {});
		expect(parseCapabilityContract(text, { sha256 }).identity).toEqual(parseCapabilityContract(text).identity);
	});
});

describe("Capability Contract/1 against the published machine schema", () => {
	const validate = machineValidator("machine/capability-contract-1.schema.json");
	const seeds: JsonValue[] = [
		base(),
		...(["session-store", "agent-run", "agent-run.direct-only"].map((name) =>
			vectors(`contracts/${name}.capability.json`),
		) as JsonValue[]),
	];

	test.skipIf(validate === undefined)("whatever we accept, it accepts", () => {
		let accepted = 0;
		fc.assert(
			fc.property(fc.constantFrom(...seeds), mutate, (seed, change) => {
				const value = change(seed);
				try {
					parseCapabilityContractValue(value);
				} catch (error) {
					if (error instanceof ContractError) return;
					throw error;
				}
				accepted += 1;
				expect(validate!(value), JSON.stringify(value)).toBe(true);
			}),
			{ numRuns: 25_000, seed: 1 },
		);
		// The property is empty unless a good part of the mutants is still valid.
		expect(accepted).toBeGreaterThan(400);
	});
});
