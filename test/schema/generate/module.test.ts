// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import { describe, expect, it, test } from "vitest";
import type { JsonValue } from "../../../src/json/index.ts";
import {
	compileSchemaModule,
	compileSchemaValue,
	generateSchemaModule,
	type MeteredSchemaModule,
	SCHEMA_URI,
	SchemaError,
} from "../../../src/schema/index.ts";
import { load, outcome } from "./load.ts";

const file = (members: object): { [name: string]: JsonValue } => ({ $schema: SCHEMA_URI, ...members });
const generate = (members: object, meter = false): string =>
	generateSchemaModule(JSON.stringify(file(members)), { meter }).code;

/** What the evaluator and the module say of a value: the verdict with the work, and the verdict alone. */
async function both(members: object, values: readonly JsonValue[]): Promise<void> {
	const schema = compileSchemaValue(file(members));
	const module = await load(file(members));
	for (const value of values) {
		const expected = outcome(() => {
			const { valid, work } = schema.evaluate(value);
			return { valid, work };
		});
		expect(outcome(() => module.evaluate(value))).toEqual(expected);
		expect(outcome(() => module.accepts(value))).toEqual(outcome(() => schema.accepts(value)));
	}
}

describe("names and texts of a schema stay names and texts", () => {
	const HOSTILE = [
		...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__", "isPrototypeOf"],
		...[
			"*/ throw 1 /*",
			"`${throw 1}`",
			'"); throw 1; ("',
			"'",
			"\\",
			"\n",
			"\u2028\u2029",
			"\u0000",
			"</script><!--",
			"// x",
		],
		...[
			"",
			"0",
			"-1",
			"length",
			"v",
			"x0",
			"arguments",
			"await",
			"class",
			"a b",
			"é",
			"\ud83d\ude00",
			"\u202e",
			"{",
			"}",
		],
	];

	it.each(HOSTILE)("%j", async (name) => {
		const own = (value: JsonValue): { [name: string]: JsonValue } => Object.fromEntries([[name, value]]);
		const members = {
			title: name,
			$comment: name,
			type: "object",
			properties: { ...own({ enum: [name, 1] }), other: { const: name } },
			required: [name],
			dependentRequired: own(["other"]),
			additionalProperties: false,
		};
		Object.defineProperty(members.properties, name, { value: { enum: [name, 1] }, enumerable: true });
		await both(members, [
			...[{}, own(name), { ...own(name), other: name }, { other: name }, { ...own(2), other: name }, [], name, null],
			JSON.parse(`{${JSON.stringify(name)}:1,"other":${JSON.stringify(name)}}`),
			JSON.parse(`{${JSON.stringify(name)}:1,"other":${JSON.stringify(name)},"more":1}`),
		]);
		expect(generate(members)).toMatch(/^[\n\t -~]*$/);
	});

	it("and so where there are too many of them to be read one by one", async () => {
		const names = [...HOSTILE, ...Array.from({ length: 60 }, (_, i) => `name ${i}`)];
		const properties = Object.fromEntries(names.map((name, i) => [name, i % 2 ? { const: i } : { maxLength: i }]));
		const whole = Object.fromEntries(names.map((_, i) => [names[i]!, i % 2 ? i : "x"]));
		for (const additionalProperties of [false, true, { type: "null" }])
			await both({ properties, required: names.slice(0, 40), additionalProperties }, [
				...[whole, { ...whole, more: null }, { ...whole, more: 1 }, {}, { "name 1": 2 }, null],
				Object.fromEntries(Object.entries(whole).slice(1)),
			]);
	});

	it("an annotation isn't in the module, and the same file gives the same text", () => {
		expect(generate({ title: "a", description: "b", $comment: "c", examples: ["d"] })).toBe(generate({}));
		expect(generate({ type: "object" }, true)).toBe(generate({ type: "object" }, true));
	});

	it("imports nothing and evaluates nothing", () => {
		const code = generate({ properties: { a: { oneOf: [{ type: "array" }, { minLength: 2 }] } } }, true);
		expect(code).not.toMatch(/\bimport\b|\beval\b|\bFunction\b|\brequire\b|\bglobalThis\b/);
	});
});

describe("prototypes have no semantic role", () => {
	const members = { properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: { type: "null" } };

	it.each([
		["a", false],
		["a", true],
		["z", true],
	])("an inherited %s (enumerable: %s) changes no verdict and no charge", async (name, enumerable) => {
		const module = await load(file(members));
		const values = [{}, { a: 1 }, { a: "1" }, { b: null }, { a: 1, b: null }, JSON.parse('{"a":1,"__proto__":null}')];
		const ask = (): unknown[] => values.map((value) => [module.accepts(value), module.evaluate(value)]);
		const expected = ask();
		expect(expected[1]).toEqual([true, { valid: true, work: 6 }]);
		for (const descriptor of [{ value: 1 }, { get: () => undefined }]) {
			Object.defineProperty(Object.prototype, name, { ...descriptor, enumerable, configurable: true });
			let found: unknown;
			try {
				found = ask();
			} finally {
				delete (Object.prototype as Record<string, unknown>)[name];
			}
			expect(found).toEqual(expected);
		}
	});

	it("objects without a prototype are objects", async () => {
		const module = await load(file(members));
		expect(module.accepts(Object.assign(Object.create(null), { a: 1 }))).toBe(true);
	});
});

describe("Schema/1 section 4: the budget", () => {
	const text = "x".repeat(600_000);
	const empties = Array.from({ length: 200_000 }, () => []);
	const branches = Array.from({ length: 300 }, (_, i) => ({
		type: "object",
		properties: { k: { const: i } },
		required: ["k"],
	}));
	const fan: Record<string, object> = { A0: { type: "integer" } };
	for (let i = 1; i < 1_300; i++)
		fan[`A${i}`] = { allOf: [{ $ref: `#/$defs/A${i - 1}` }, { $ref: `#/$defs/A${i - 1}` }] };
	const chain: Record<string, object> = { B0: { minimum: 0 } };
	for (let i = 1; i < 4_090; i++) chain[`B${i}`] = { $ref: `#/$defs/B${i - 1}` };
	const pairs: Record<string, object> = { C0: { minimum: 0 } };
	for (let i = 1; i < 2_000; i++) pairs[`C${i}`] = { $ref: `#/$defs/C${i - 1}` };
	const each = Object.fromEntries(Object.keys(pairs).map((name) => [name, { $ref: `#/$defs/${name}` }]));
	const conditions: Record<string, object> = { D0: { minimum: 0 } };
	for (let i = 1; i < 1_000; i++)
		conditions[`D${i}`] = { if: { $ref: `#/$defs/D${i - 1}` }, then: { maximum: 9 }, else: false };

	it.each<[string, object, JsonValue[]]>([
		[
			"its last unit",
			{ maxLength: 2_000_000 },
			["x".repeat(999_998), "x".repeat(999_999), "\ud83d\ude00".repeat(999_998)],
		],
		["exhaustion beats invalidity", { maxLength: 3, type: "null" }, ["x".repeat(999_999), "x".repeat(9)]],
		["two lengths", { properties: { a: { minLength: 1 }, b: { minLength: 1 } } }, [{ a: text, b: text }, { a: text }]],
		[
			"one definition twice",
			{ $defs: { T: { minLength: 1 } }, allOf: [{ $ref: "#/$defs/T" }, { $ref: "#/$defs/T" }] },
			[text],
		],
		["many items", { items: { type: "array", maxItems: 0 } }, [empties, empties.slice(0, 100_000)]],
		["many items in many branches", { items: { oneOf: branches } }, [empties, [{ k: 7 }], [{ k: "7" }]]],
		[
			"many members of a closed object",
			{ additionalProperties: false },
			[Object.fromEntries(empties.map((_, i) => [`k${i}`, i]))],
		],
		[
			"behind a condition",
			{ if: { type: "string" }, then: { maxLength: 9 }, else: { items: { minLength: 1 } } },
			[text, [text, text], [text]],
		],
		[
			"a definition behind a condition and beside it",
			{
				...{ $defs: { T: { minLength: 1 } }, allOf: [{ $ref: "#/$defs/T" }] },
				...{ if: { minLength: 2 }, then: { $ref: "#/$defs/T" }, else: { $ref: "#/$defs/T" } },
			},
			["", "x", "xx", text, "x".repeat(490_000)],
		],
		[
			"the same, of bounded size",
			{
				$defs: { T: { maxLength: 9 } },
				...{ allOf: [{ $ref: "#/$defs/T" }], type: "string" },
				...{ if: { minLength: 2 }, then: { $ref: "#/$defs/T" }, else: { const: "" } },
			},
			["", "x", "xx", text, "x".repeat(999_991), "x".repeat(10), 1],
		],
		["a fan of references", { $defs: fan, $ref: "#/$defs/A1299" }, [1, "x"]],
		["the longest chain of references", { $defs: chain, $ref: "#/$defs/B4089" }, [1, -1, "x"]],
		[
			"a long chain, each link met elsewhere too",
			{ $defs: pairs, properties: each },
			[{ C1999: 1, C7: 2 }, { C1999: -1 }],
		],
		["conditions within conditions", { $defs: conditions, $ref: "#/$defs/D999" }, [1, 10, -1]],
	])("%s", async (_, members, values) => {
		await both(members, values);
	});

	it("is refused with the error's code, name and limit", async () => {
		const module = await load(file({ maxLength: 1 }));
		for (const way of ["accepts", "evaluate"] as const)
			expect(() => module[way]("x".repeat(1_000_000))).toThrow(
				expect.objectContaining({
					name: "SchemaError",
					code: "SCHEMA_LIMIT_EXCEEDED",
					limit: { name: "work", max: 1_000_000 },
				}),
			);
	});

	it("a value that stands at two places is charged at both", async () => {
		const shared = { a: "x" };
		await both(
			{
				$defs: { T: { minLength: 0 } },
				items: { properties: { a: { allOf: [{ $ref: "#/$defs/T" }, { $ref: "#/$defs/T" }] } } },
			},
			[[shared, shared]],
		);
	});
});

describe("what is exported", () => {
	it("accepts alone, unless a meter is asked for", async () => {
		expect(Object.keys(await load(file({}), {}))).toEqual(["accepts"]);
		expect(Object.keys(await load(file({})))).toEqual(["accepts", "evaluate"]);
	});

	test("declarations for TypeScript", () => {
		const { types } = generateSchemaModule(JSON.stringify(file({})), { meter: true });
		expect(types).toContain("export declare function accepts(value: unknown): boolean;");
		expect(types).toContain(
			"export declare function evaluate(value: unknown): { readonly valid: boolean; readonly work: number };",
		);
		expect(generateSchemaModule(JSON.stringify(file({}))).types).not.toContain("evaluate");
	});

	it("a file that doesn't compile isn't generated", () => {
		expect(() => generateSchemaModule('{"$schema":"x"}')).toThrow(SchemaError);
		expect(() => generateSchemaModule(JSON.stringify(file({ pattern: "x" })))).toThrow(
			expect.objectContaining({ code: "SCHEMA_KEYWORD_UNSUPPORTED", schemaPointer: "/pattern" }),
		);
	});
});

describe("compileSchemaModule", () => {
	it("hands the source to the embedder's port, and gives back what that loads", async () => {
		const sources: string[] = [];
		const codegen = (source: string): Promise<MeteredSchemaModule> => {
			sources.push(source);
			return import(/* @vite-ignore */ `data:text/javascript;base64,${btoa(source)}`);
		};
		const text = JSON.stringify(file({ type: "string" }));
		const module = await compileSchemaModule(text, { codegen, meter: true });
		expect([module.accepts("x"), module.evaluate(1)]).toEqual([true, { valid: false, work: 2 }]);
		expect(sources).toEqual([generateSchemaModule(text, { meter: true }).code]);
	});

	it("rejects with what the port throws, and asks it for nothing where the file is wrong", async () => {
		const refuse = (): never => {
			throw new Error("no code here");
		};
		await expect(compileSchemaModule(JSON.stringify(file({})), { codegen: refuse })).rejects.toThrow("no code here");
		await expect(compileSchemaModule("{}", { codegen: refuse })).rejects.toThrow(SchemaError);
	});
});
