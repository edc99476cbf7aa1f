import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CHANNEL_CONTRACT_URI,
	ContractError,
	type ContractErrorCode,
	parseChannelContract,
	parseChannelContractValue,
	parseChannelDeclarations,
} from "../../src/contract/index.ts";
import { type JsonValue, parseJson } from "../../src/json/index.ts";
import { SCHEMA_URI } from "../../src/schema/index.ts";
import { vectorBytes, vectors, vectorsDirectory } from "../house/vectors.ts";
import { machineValidator, mutate } from "./machine.ts";

// biome-ignore lint/suspicious/noExplicitAny: cases are deliberately shapeless
type Any = any;

const base = (): Any => ({
	$schema: CHANNEL_CONTRACT_URI,
	id: "https://example.org/channels/text",
	version: "1.0.0",
	semantics: "Each item appends a fragment.",
	item: { type: "string" },
});

const changed = (change: (d: Any) => void): string => {
	const descriptor = base();
	change(descriptor);
	return JSON.stringify(descriptor);
};

function refusal(run: () => unknown): ContractError {
	try {
		run();
	} catch (error) {
		expect(error).toBeInstanceOf(ContractError);
		return error as ContractError;
	}
	throw new Error("accepted");
}

describe("Channel Contract/1 section 2: the descriptor", () => {
	test("a small one passes and is identified over everything in it", () => {
		const contract = parseChannelContract(changed(() => {}));
		const canonical =
			'{"$schema":"https://flow.jig.md/schemas/channel-contract-1.schema.json","id":"https://example.org/channels/text",' +
			'"item":{"type":"string"},"semantics":"Each item appends a fragment.","version":"1.0.0"}';
		const hex = createHash("sha256").update(`FLOW-Channel-Contract/1\0${canonical}`).digest("hex");
		expect(contract.identity.digest).toBe(`sha256:${hex}`);
		expect(contract.semantics).toBe("Each item appends a fragment.");
		expect(contract.item.accepts("x")).toBe(true);
		expect(contract.item.accepts(1)).toBe(false);
	});

	test("other semantics are another contract", () => {
		const other = parseChannelContract(changed((d) => (d.semantics = "Each item replaces the text.")));
		expect(other.identity.digest).not.toBe(parseChannelContract(changed(() => {})).identity.digest);
	});

	test.each<[string, ContractErrorCode, string, (d: Any) => void]>([
		[
			"another $schema",
			"CONTRACT_INVALID",
			"/$schema",
			(d) => (d.$schema = "https://flow.jig.md/schemas/channel-contract-0.schema.json"),
		],
		["a bad id", "CONTRACT_INVALID", "/id", (d) => (d.id = "https://localhost/x")],
		["a bad version", "CONTRACT_INVALID", "/version", (d) => (d.version = "1.0")],
		["no semantics", "CONTRACT_INVALID", "", (d) => delete d.semantics],
		["empty semantics", "CONTRACT_INVALID", "/semantics", (d) => (d.semantics = "")],
		["semantics that are no text", "CONTRACT_INVALID", "/semantics", (d) => (d.semantics = [])],
		["no item", "CONTRACT_INVALID", "", (d) => delete d.item],
		["an item that is no schema", "CONTRACT_INVALID", "/item", (d) => (d.item = "string")],
		["an unknown field", "CONTRACT_INVALID", "/title", (d) => (d.title = "x")],
		["a capability's field", "CONTRACT_INVALID", "/methods", (d) => (d.methods = {})],
		["$schema in the item", "CONTRACT_INVALID", "/item/$schema", (d) => (d.item.$schema = SCHEMA_URI)],
		["$defs in the item", "CONTRACT_INVALID", "/item/$defs", (d) => (d.item.$defs = {})],
		["a bad $defs map", "CONTRACT_INVALID", "/$defs", (d) => (d.$defs = [])],
		["a $ref to nothing", "CONTRACT_REFERENCE_INVALID", "/item/$ref", (d) => (d.item.$ref = "#/$defs/X")],
	])("refuses %s", (_, code, pointer, change) => {
		expect(refusal(() => parseChannelContract(changed(change)))).toMatchObject({ code, pointer });
	});

	test("semantics are bounded in UTF-8 bytes, not characters (D4)", () => {
		expect(() => parseChannelContract(changed((d) => (d.semantics = "x".repeat(16_384))))).not.toThrow();
		expect(() => parseChannelContract(changed((d) => (d.semantics = "😀".repeat(4_096))))).not.toThrow();
		for (const semantics of ["x".repeat(16_385), "😀".repeat(4_097), `${"é".repeat(8_192)}x`]) {
			expect(refusal(() => parseChannelContract(changed((d) => (d.semantics = semantics))))).toMatchObject({
				code: "CONTRACT_LIMIT_EXCEEDED",
				pointer: "/semantics",
			});
		}
	});

	test("definitions are bounded by nodes alone (C8)", () => {
		const defs = (count: number): Any => Object.fromEntries(Array.from({ length: count }, (_, i) => [`D${i}`, true]));
		expect(() => parseChannelContract(changed((d) => (d.$defs = defs(4_095))))).not.toThrow();
		expect(refusal(() => parseChannelContract(changed((d) => (d.$defs = defs(4_096)))))).toMatchObject({
			code: "CONTRACT_LIMIT_EXCEEDED",
		});
	});

	test("262,144 bytes pass, one more doesn't", () => {
		const text = changed(() => {});
		const padded = (bytes: number): string => text + " ".repeat(bytes - text.length);
		expect(() => parseChannelContract(padded(262_144))).not.toThrow();
		expect(refusal(() => parseChannelContract(padded(262_145)))).toMatchObject({ code: "CONTRACT_LIMIT_EXCEEDED" });
	});

	test.skipIf(vectorsDirectory === undefined)("the public ACP updates", () => {
		const contract = parseChannelContract(vectorBytes("contracts/acp-public-updates.json")!);
		expect(contract.identity.id).toMatch(/^https:/);
		expect(contract.descriptor).toEqual(vectors("contracts/acp-public-updates.json"));
	});
});

describe("Channel Contract/1 section 1: declarations in FLOW.md", () => {
	const one = (declaration: Any) => parseChannelDeclarations({ events: declaration }, "/channels").get("events");

	test("defaults are told, not written", () => {
		expect(one({ direction: "send" })).toEqual({ direction: "send", required: true });
		expect(one({ direction: "receive" })).toEqual({ direction: "receive", required: true, start: "beginning" });
	});

	test("every field", () => {
		expect(
			one({ direction: "receive", required: false, contract: "./a/b.json", delivery: "broadcast", start: "suffix" }),
		).toEqual({
			direction: "receive",
			required: false,
			contract: "a/b.json",
			delivery: "broadcast",
			start: "suffix",
		});
	});

	test("a suffix receiver of a direct channel is admitted (C9)", () => {
		expect(one({ direction: "receive", delivery: "direct", start: "suffix" })).toMatchObject({ start: "suffix" });
	});

	test("an inline schema is its own root and may declare $defs (C6)", () => {
		const port = one({ direction: "send", schema: { $ref: "#/$defs/Item", $defs: { Item: { type: "integer" } } } });
		expect(port!.schema!.accepts(1)).toBe(true);
		expect(port!.schema!.accepts("1")).toBe(false);
	});

	test.each([true, false, {}])("%j is a schema", (schema) => {
		expect(one({ direction: "send", schema })!.schemaValue).toEqual(schema);
	});

	test.each<[string, ContractErrorCode, string, Any]>([
		["no direction", "CONTRACT_INVALID", "/channels/events", {}],
		["an unknown direction", "CONTRACT_INVALID", "/channels/events/direction", { direction: "both" }],
		["an unknown field", "CONTRACT_INVALID", "/channels/events/description", { direction: "send", description: "x" }],
		["required as text", "CONTRACT_INVALID", "/channels/events/required", { direction: "send", required: "true" }],
		["a null required", "CONTRACT_INVALID", "/channels/events/required", { direction: "send", required: null }],
		["a null contract", "CONTRACT_INVALID", "/channels/events/contract", { direction: "send", contract: null }],
		["a null delivery", "CONTRACT_INVALID", "/channels/events/delivery", { direction: "send", delivery: null }],
		["a null schema", "CONTRACT_INVALID", "/channels/events/schema", { direction: "receive", schema: null }],
		["a null start", "CONTRACT_INVALID", "/channels/events/start", { direction: "receive", start: null }],
		[
			"schema and contract",
			"CONTRACT_INVALID",
			"/channels/events",
			{ direction: "send", schema: true, contract: "./a.json" },
		],
		["start on a send port", "CONTRACT_INVALID", "/channels/events/start", { direction: "send", start: "beginning" }],
		["an unknown start", "CONTRACT_INVALID", "/channels/events/start", { direction: "receive", start: "end" }],
		[
			"an unknown delivery",
			"CONTRACT_INVALID",
			"/channels/events/delivery",
			{ direction: "send", delivery: "multicast" },
		],
		["a null schema", "CONTRACT_INVALID", "/channels/events/schema", { direction: "send", schema: null }],
		[
			"$schema repeated (C6)",
			"CONTRACT_INVALID",
			"/channels/events/schema/$schema",
			{ direction: "send", schema: { $schema: SCHEMA_URI } },
		],
		[
			"a bad schema",
			"CONTRACT_INVALID",
			"/channels/events/schema/items/pattern",
			{ direction: "send", schema: { items: { pattern: "x" } } },
		],
		["a contract that is no text", "CONTRACT_INVALID", "/channels/events/contract", { direction: "send", contract: 1 }],
		[
			"a reference without ./",
			"CONTRACT_REFERENCE_INVALID",
			"/channels/events/contract",
			{ direction: "send", contract: "a.json" },
		],
		["a declaration that is no map", "CONTRACT_INVALID", "/channels/events", "send"],
	])("refuses %s", (_, code, pointer, declaration) => {
		expect(refusal(() => one(declaration))).toMatchObject({ code, pointer });
	});

	test("refuses names that are no LocalName, and maps that are none", () => {
		expect(refusal(() => parseChannelDeclarations({ Events: { direction: "send" } }, "/channels"))).toMatchObject({
			pointer: "/channels/Events",
		});
		expect(refusal(() => parseChannelDeclarations([], "/channels"))).toMatchObject({ pointer: "/channels" });
	});

	test("inherited names are no fields", () => {
		const declaration = parseJson('{"events":{"direction":"send","__proto__":{"required":false}}}');
		expect(refusal(() => parseChannelDeclarations(declaration, ""))).toMatchObject({ pointer: "/events/__proto__" });
	});

	test("each root has the graph limits to itself, definitions at depth 2 as in a file", () => {
		const nested = (depth: number): Any => (depth === 1 ? true : { not: nested(depth - 1) });
		expect(() => one({ direction: "send", schema: { $defs: { A: nested(63) } } })).not.toThrow();
		expect(refusal(() => one({ direction: "send", schema: { $defs: { A: nested(64) } } }))).toMatchObject({
			code: "CONTRACT_LIMIT_EXCEEDED",
		});
	});
});

describe("Channel Contract/1 against the published machine schema", () => {
	const validate = machineValidator("machine/channel-contract-1.schema.json");
	const seeds = [
		base(),
		{ ...base(), $defs: { A: true } },
		vectors("contracts/acp-public-updates.json"),
	] as JsonValue[];

	test.skipIf(validate === undefined)("whatever we accept, it accepts", () => {
		let accepted = 0;
		fc.assert(
			fc.property(fc.constantFrom(...seeds), mutate, (seed, change) => {
				const value = change(seed);
				try {
					parseChannelContractValue(value);
				} catch (error) {
					if (error instanceof ContractError) return;
					throw error;
				}
				accepted += 1;
				expect(validate!(value), JSON.stringify(value)).toBe(true);
			}),
			{ numRuns: 15_000, seed: 1 },
		);
		expect(accepted).toBeGreaterThan(300);
	});
});
