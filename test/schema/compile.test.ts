// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
import { describe, expect, it } from "vitest";
import { JsonError, type JsonValue } from "../../src/json/index.ts";
import {
	compileInlineSchema,
	compileSchema,
	compileSchemaGraph,
	compileSchemaValue,
	SCHEMA_LIMITS,
	SCHEMA_URI,
	SchemaError,
} from "../../src/schema/index.ts";

/** What compiling threw, as `code pointer keyword`; or the compiled size. */
function outcome(compile: () => { nodes: number; depth: number }): string {
	try {
		const { nodes, depth } = compile();
		return `ok ${nodes} ${depth}`;
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return [error.code, error.schemaPointer, error.keyword].filter((part) => part !== undefined).join(" ");
	}
}

const file = (members: object): JsonValue => ({ $schema: SCHEMA_URI, ...members }) as JsonValue;
const compiled = (members: object): string => outcome(() => compileSchemaValue(file(members)));
const text = (members: object): string => JSON.stringify(file(members));

describe("section 3: the root of a file", () => {
	it.each<[JsonValue]>([[true], [false], [null], [1], ["x"], [[]]])("refuses %j", (root) => {
		expect(outcome(() => compileSchemaValue(root))).toBe("SCHEMA_INVALID ");
	});

	it.each<[JsonValue]>([
		[{}],
		[{ $schema: "https://json-schema.org/draft/2020-12/schema" }],
		[{ $schema: `${SCHEMA_URI}#` }],
		[{ $schema: null }],
		[{ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "x", pattern: "y" }],
	])("refuses the declaration of %j", (root) => {
		expect(outcome(() => compileSchemaValue(root))).toBe("SCHEMA_INVALID /$schema $schema");
	});

	it("isn't fooled by an inherited $schema", () => {
		const root = JSON.parse(`{"__proto__":{"$schema":"${SCHEMA_URI}"}}`) as JsonValue;
		expect(outcome(() => compileSchemaValue(root))).toBe("SCHEMA_INVALID /$schema $schema");
	});

	it("takes bytes, text and a value, and counts the nodes", () => {
		const members = { properties: { a: true, b: { not: {} } }, $defs: { D: false } };
		expect(compiled(members)).toBe("ok 5 3");
		expect(outcome(() => compileSchema(text(members)))).toBe("ok 5 3");
		expect(outcome(() => compileSchema(new TextEncoder().encode(text(members))))).toBe("ok 5 3");
	});
});

describe("section 5: text that isn't JSON/1", () => {
	it.each([
		["a syntax error", "{"],
		["a duplicate member", `{"$schema":"${SCHEMA_URI}","type":"null","type":"null"}`],
		["a duplicate member, escaped", `{"$schema":"${SCHEMA_URI}","type":"null","typ\\u0065":"null"}`],
		["a lone surrogate", `{"$schema":"${SCHEMA_URI}","title":"\\ud800"}`],
		["an unsafe integer", `{"$schema":"${SCHEMA_URI}","maximum":9007199254740993}`],
		["an infinite number", `{"$schema":"${SCHEMA_URI}","maximum":1e400}`],
		["a byte order mark", `\ufeff{"$schema":"${SCHEMA_URI}"}`],
		["nothing", ""],
	])("%s", (_, source) => {
		for (const form of [source, new TextEncoder().encode(source)]) {
			expect(outcome(() => compileSchema(form))).toBe("SCHEMA_INVALID_JSON ");
			expect(() => compileSchema(form)).toThrow(
				expect.objectContaining({ cause: expect.any(JsonError) as unknown }) as Error,
			);
		}
	});

	it("invalid UTF-8", () => {
		const bytes = new TextEncoder().encode(text({ title: "?" }));
		bytes[bytes.indexOf(0x3f)] = 0xff;
		expect(outcome(() => compileSchema(bytes))).toBe("SCHEMA_INVALID_JSON ");
	});

	it("a host value outside JSON/1", () => {
		for (const value of [Number.NaN, undefined, new Map(), "\ud800", 2 ** 53])
			expect(outcome(() => compileSchemaValue(file({ examples: [value] })))).toBe("SCHEMA_INVALID_JSON ");
	});
});

describe("section 3: keyword values", () => {
	const COUNTS = "minProperties maxProperties minContains maxContains minItems maxItems minLength maxLength".split(" ");
	const NUMBERS = "minimum exclusiveMinimum maximum exclusiveMaximum".split(" ");
	const TEXTS = "$comment title description".split(" ");
	const SCHEMAS = "not if then else additionalProperties items contains".split(" ");
	const LISTS = "allOf anyOf oneOf prefixItems".split(" ");
	const MAPS = "properties dependentSchemas".split(" ");

	const accepted: [string, JsonValue][] = [
		...COUNTS.flatMap((keyword) =>
			[0, -0, 1, 1e2, 9007199254740991].map((value): [string, JsonValue] => [keyword, value]),
		),
		...NUMBERS.flatMap((keyword) =>
			[0, -1.5, 1e-300, 2.5e300 / 1e290].map((value): [string, JsonValue] => [keyword, value]),
		),
		...TEXTS.flatMap((keyword) => ["", "x"].map((value): [string, JsonValue] => [keyword, value])),
		...SCHEMAS.flatMap((keyword) => [true, false, {}].map((value): [string, JsonValue] => [keyword, value])),
		...LISTS.flatMap((keyword) => [[true], [{}, false]].map((value): [string, JsonValue] => [keyword, value])),
		...MAPS.flatMap((keyword) => [{}, { a: true, pattern: {} }].map((value): [string, JsonValue] => [keyword, value])),
		["examples", []],
		["examples", [{ $ref: 1, pattern: 2 }, [], null]],
		["type", "integer"],
		["type", ["null", "boolean", "integer", "number", "string", "array", "object"]],
		["const", null],
		["const", false],
		["const", ""],
		["const", -0],
		["enum", []],
		["enum", [1, 1, 1.0, null, true, "a"]],
		["required", []],
		["required", ["a", "b", "", "__proto__"]],
		["dependentRequired", {}],
		["dependentRequired", { a: [], $ref: ["b", "c"] }],
	];
	it.each(accepted)("accepts %s: %j", (keyword, value) => {
		expect(compiled({ [keyword]: value })).toMatch(/^ok /);
	});

	const refused: [string, JsonValue, string?][] = [
		...COUNTS.flatMap((keyword) =>
			[-1, 0.5, 1.000001, "1", null, true, [], {}].map((value): [string, JsonValue] => [keyword, value]),
		),
		...NUMBERS.flatMap((keyword) => ["1", null, true, [], {}].map((value): [string, JsonValue] => [keyword, value])),
		...TEXTS.flatMap((keyword) => [1, null, true, [], {}].map((value): [string, JsonValue] => [keyword, value])),
		...SCHEMAS.flatMap((keyword) => [1, null, "x", []].map((value): [string, JsonValue] => [keyword, value])),
		...LISTS.flatMap((keyword) => [1, null, true, {}, []].map((value): [string, JsonValue] => [keyword, value])),
		...LISTS.map((keyword): [string, JsonValue, string] => [keyword, [true, 1], "/1"]),
		...MAPS.flatMap((keyword) => [1, null, true, []].map((value): [string, JsonValue] => [keyword, value])),
		...MAPS.map((keyword): [string, JsonValue, string] => [keyword, { "a/b~": null }, "/a~1b~0"]),
		["examples", {}],
		["examples", "x"],
		["type", "any"],
		["type", "String"],
		["type", "toString"],
		["type", 1],
		["type", null],
		["type", []],
		["type", ["string", "any"], "/1"],
		["type", ["string", "string"], "/1"],
		["type", [["string"]], "/0"],
		["const", []],
		["const", {}],
		["enum", {}],
		["enum", "a"],
		["enum", [1, []], "/1"],
		["enum", [{}], "/0"],
		["required", "a"],
		["required", {}],
		["required", [1], "/0"],
		["required", ["a", "b", "a"], "/2"],
		["dependentRequired", []],
		["dependentRequired", { a: "b" }, "/a"],
		["dependentRequired", { a: [1] }, "/a"],
		["dependentRequired", { a: ["b", "b"] }, "/a"],
		["$defs", []],
		["$defs", { A: 1 }, "/A"],
		["$ref", 1],
		["$ref", null],
		["$ref", {}],
	];
	it.each(refused)("refuses %s: %j", (keyword, value, at = "") => {
		const place = compiled({ [keyword]: value });
		expect(place.startsWith(`SCHEMA_INVALID /${keyword}${at}`)).toBe(true);
		// Below the root the same holds, and a fault in a subschema is found at any depth.
		if (keyword === "$defs") return;
		expect(compiled({ properties: { x: { not: { [keyword]: value } } } })).toBe(
			place.replace(" /", " /properties/x/not/"),
		);
	});
});

describe("section 3: keywords outside the allowlist", () => {
	const DENIED =
		"$id $anchor $dynamicAnchor $dynamicRef $vocabulary default format pattern patternProperties contentEncoding contentMediaType contentSchema unevaluatedItems unevaluatedProperties multipleOf uniqueItems propertyNames".split(
			" ",
		);
	const FOREIGN =
		"definitions dependencies id additionalItems $recursiveRef readOnly deprecated x-mine __proto__ toString constructor Type".split(
			" ",
		);
	const places: [string, (schema: object) => object][] = [
		["", (schema) => schema],
		["/properties/a", (schema) => ({ properties: { a: schema } })],
		["/$defs/D", (schema) => ({ $defs: { D: schema } })],
		["/anyOf/1", (schema) => ({ anyOf: [true, schema] })],
		["/then", (schema) => ({ then: schema })],
		[
			"/dependentSchemas/t/prefixItems/0/items",
			(schema) => ({ dependentSchemas: { t: { prefixItems: [{ items: schema }] } } }),
		],
		[
			"/not/additionalProperties/contains/if/else",
			(schema) => ({ not: { additionalProperties: { contains: { if: { else: schema } } } } }),
		],
	];
	it.each([...DENIED, ...FOREIGN])("%s is unsupported at every depth", (keyword) => {
		for (const [pointer, wrap] of places) {
			const schema = Object.fromEntries([[keyword, { not: "inspected" }]]);
			expect(compiled(wrap(schema))).toBe(`SCHEMA_KEYWORD_UNSUPPORTED ${pointer}/${keyword} ${keyword}`);
		}
	});

	it.each([...DENIED, ...FOREIGN, "$schema", "$defs", "$ref"])(
		"%s as a member name or as data is no keyword",
		(name) => {
			const named = (value: JsonValue): JsonValue => Object.fromEntries([[name, value]]);
			expect(
				compiled({
					properties: named({ type: "string" }),
					dependentSchemas: named(true),
					dependentRequired: named([name]),
					required: [name],
					enum: [name],
					const: name,
					examples: [named(1), [named({ a: [] })]],
				}),
			).toBe("ok 3 2");
		},
	);

	it("is reported before a bad value of the same schema, whatever the member order (B2)", () => {
		expect(compiled({ type: "any", pattern: "x" })).toBe("SCHEMA_KEYWORD_UNSUPPORTED /pattern pattern");
		expect(compiled({ not: { type: "any" }, format: "x" })).toBe("SCHEMA_KEYWORD_UNSUPPORTED /format format");
	});

	it("is reported in document order among schemas (S1)", () => {
		expect(compiled({ not: { type: 1 }, items: { format: "x" } })).toBe("SCHEMA_INVALID /not/type type");
		expect(compiled({ items: { format: "x" }, not: { type: 1 } })).toBe(
			"SCHEMA_KEYWORD_UNSUPPORTED /items/format format",
		);
	});
});

describe("section 3: definitions and references", () => {
	it.each(["A", "z", "A1", "constructor", "toString", `A${"b".repeat(63)}`])("a definition may be named %s", (name) => {
		expect(compiled({ $ref: `#/$defs/${name}`, $defs: { [name]: true } })).toBe("ok 2 2");
	});

	it.each(["", "1", "a-b", "a_b", "é", "__proto__", "a\n", `A${"b".repeat(64)}`])(
		"a definition may not be named %j",
		(name) => {
			const defs = Object.fromEntries([[name, true]]);
			expect(compiled({ $defs: defs })).toBe(`SCHEMA_INVALID /$defs/${name} $defs`);
		},
	);

	it.each(
		[
			["", "#", "#/", "#/$defs", "#/$defs/", "#/$defs/A/", "#/$defs/A/not", "#/$defs/A\n", " #/$defs/A", "/$defs/A"],
			["A", "#A", "#/definitions/A", "#/properties/a", "#/$defs/%41", "#/$defs/~0", "#/%24defs/A", "#/$defs/B"],
			["x.json#/$defs/A", `${SCHEMA_URI}#/$defs/A`, "https://example.com/", "#/$defs/toString", "#/$defs/__proto__"],
		].flat(),
	)("$ref may not be spelled %j", (reference) => {
		expect(compiled({ $defs: { A: true }, properties: { a: { $ref: reference } } })).toBe(
			"SCHEMA_REFERENCE_INVALID /properties/a/$ref $ref",
		);
	});

	it("a reference needs a definition map", () => {
		expect(compiled({ $ref: "#/$defs/A" })).toBe("SCHEMA_REFERENCE_INVALID /$ref $ref");
	});

	it.each<[object, string]>([
		[{ A: { $ref: "#/$defs/A" } }, "/$defs/A/$ref"],
		[{ A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }, "/$defs/B/$ref"],
		[{ A: { properties: { a: { $ref: "#/$defs/A" } } } }, "/$defs/A/properties/a/$ref"],
		[{ A: { then: { $ref: "#/$defs/A" } } }, "/$defs/A/then/$ref"],
		[{ A: true, B: { allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }] } }, "/$defs/B/allOf/1/$ref"],
		[{ C: { items: { $ref: "#/$defs/B" } }, B: { not: { $ref: "#/$defs/C" } } }, "/$defs/B/not/$ref"],
	])("a cycle through %j is refused, used or not (S7, B5)", (defs, pointer) => {
		expect(compiled({ $defs: defs })).toBe(`SCHEMA_REFERENCE_INVALID ${pointer} $ref`);
		expect(compiled({ not: { $ref: "#/$defs/A" }, $defs: { A: true, ...defs } })).toBe(
			`SCHEMA_REFERENCE_INVALID ${pointer} $ref`,
		);
	});

	it("a definition reached on several ways is no cycle", () => {
		const to = (name: string): object => ({ $ref: `#/$defs/${name}` });
		const defs = { A: { allOf: [to("B"), to("C")] }, B: { not: to("D") }, C: { items: to("D") }, D: {} };
		expect(compiled({ ...to("A"), $defs: defs })).toBe("ok 9 3");
	});

	it("$schema and $defs below the root are misplaced (S6, B3)", () => {
		expect(compiled({ not: { $schema: SCHEMA_URI } })).toBe("SCHEMA_INVALID /not/$schema $schema");
		expect(compiled({ $defs: { A: { $defs: {} } } })).toBe("SCHEMA_INVALID /$defs/A/$defs $defs");
		expect(compiled({ items: { $defs: {} } })).toBe("SCHEMA_INVALID /items/$defs $defs");
	});
});

describe("section 4: structural limits", () => {
	const nested = (levels: number, inner: JsonValue): JsonValue => {
		let schema = inner;
		for (let i = 0; i < levels; i++) schema = { not: schema };
		return schema;
	};

	it(`${SCHEMA_LIMITS.bytes} bytes pass, one more is refused before anything is parsed (B1)`, () => {
		const base = text({ title: "" }).length;
		const full = text({ title: "a".repeat(SCHEMA_LIMITS.bytes - base) });
		expect(full.length).toBe(SCHEMA_LIMITS.bytes);
		expect(outcome(() => compileSchema(full))).toBe("ok 1 1");
		expect(outcome(() => compileSchema(new TextEncoder().encode(full)))).toBe("ok 1 1");
		for (const source of [`${full} `, "{".repeat(SCHEMA_LIMITS.bytes + 1)]) {
			expect(outcome(() => compileSchema(source))).toBe("SCHEMA_LIMIT_EXCEEDED ");
			expect(outcome(() => compileSchema(new TextEncoder().encode(source)))).toBe("SCHEMA_LIMIT_EXCEEDED ");
		}
	});

	it("a text's bytes are counted, not its units", () => {
		const base = text({ title: "" }).length;
		const wide = "é".repeat((SCHEMA_LIMITS.bytes - base) / 2 - ((SCHEMA_LIMITS.bytes - base) % 2) / 2);
		expect(outcome(() => compileSchema(text({ title: wide })))).toBe("ok 1 1");
		expect(outcome(() => compileSchema(text({ title: `${wide}é` })))).toBe("SCHEMA_LIMIT_EXCEEDED ");
	});

	it("64 levels pass, 65 don't (B7)", () => {
		expect(compiled({ not: nested(62, true) })).toBe("ok 64 64");
		expect(compiled({ not: nested(63, true) })).toBe(`SCHEMA_LIMIT_EXCEEDED ${"/not".repeat(64)}`);
		expect(compiled({ $defs: { A: nested(62, true) } })).toBe("ok 64 64");
		expect(compiled({ $defs: { A: nested(63, true) } })).toBe(`SCHEMA_LIMIT_EXCEEDED /$defs/A${"/not".repeat(63)}`);
	});

	it("a reference adds no depth and no nodes", () => {
		expect(compiled({ $defs: { A: nested(62, true) }, not: nested(62, { $ref: "#/$defs/A" }) })).toBe("ok 127 64");
	});

	it("schemas that two JSON levels separate reach the JSON/1 depth first (S3)", () => {
		const lists = (levels: number): string => `${'{"allOf":['.repeat(levels)}true${"]}".repeat(levels)}`;
		const source = (levels: number): string => `{"$schema":"${SCHEMA_URI}","allOf":[${lists(levels)}]}`;
		expect(outcome(() => compileSchema(source(61)))).toBe("ok 63 63");
		expect(outcome(() => compileSchema(source(62)))).toBe("ok 64 64");
		expect(outcome(() => compileSchema(source(63)))).toBe("SCHEMA_INVALID_JSON ");
	});

	it("4,096 nodes pass, 4,097 don't", () => {
		const wide = (count: number): object => ({ anyOf: Array<boolean>(count).fill(true) });
		expect(compiled(wide(4_095))).toBe("ok 4096 2");
		expect(compiled(wide(4_096))).toBe("SCHEMA_LIMIT_EXCEEDED /anyOf/4095");
		const defs = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`D${i}`, true]));
		expect(compiled({ $defs: defs, ...wide(95) })).toBe("ok 4096 2");
		expect(compiled({ $defs: defs, ...wide(96) })).toBe("SCHEMA_LIMIT_EXCEEDED /anyOf/95");
	});

	it("data and inert keywords are no nodes; every schema position is (S13)", () => {
		expect(compiled({ enum: [1, 2], const: 1, examples: [{ not: {} }], required: ["a"], type: ["null"] })).toBe(
			"ok 1 1",
		);
		const one = {
			$defs: { A: true },
			properties: { a: true },
			allOf: [true],
			anyOf: [true],
			oneOf: [true],
			prefixItems: [true],
			not: true,
			if: true,
			then: true,
			else: true,
			additionalProperties: true,
			dependentSchemas: { a: true },
			items: true,
			contains: true,
		};
		expect(compiled(one)).toBe("ok 15 2");
	});

	it("says which bound", () => {
		expect(() => compileSchemaValue(file({ not: nested(63, true) }))).toThrow(
			expect.objectContaining({ limit: { name: "depth", max: 64 } }) as Error,
		);
	});

	it("finds a cycle at the end of 4,094 chained definitions without recursion", () => {
		const chain = Object.fromEntries(
			Array.from({ length: 4_094 }, (_, i) => [`D${i}`, { $ref: `#/$defs/D${(i + 1) % 4_094}` }]),
		);
		expect(compiled({ $defs: chain })).toBe("SCHEMA_REFERENCE_INVALID /$defs/D4093/$ref $ref");
	});
});

describe("embedded graphs", () => {
	const graph = (schemas: Record<string, JsonValue>, defs?: Record<string, JsonValue>): string =>
		outcome(() =>
			compileSchemaGraph({
				roots: Object.entries(schemas).map(([pointer, schema]) => ({ pointer, schema })),
				...(defs === undefined ? {} : { defs }),
			}),
		);

	it("adds up roots and definitions, each at depth 1 (C4, B7)", () => {
		expect(
			graph({ "/methods/a/input": true, "/methods/a/output": { not: { $ref: "#/$defs/A" } } }, { A: { items: {} } }),
		).toBe("ok 5 2");
		expect(graph({})).toBe("ok 0 0");
		expect(graph({ "/item": false })).toBe("ok 1 1");
	});

	it("shares the limits among all roots", () => {
		const half: JsonValue = { anyOf: Array<JsonValue>(2_047).fill(true) };
		expect(graph({ "/a": half, "/b": half })).toBe("ok 4096 2");
		expect(graph({ "/a": half, "/b": half, "/c": true })).toBe("SCHEMA_LIMIT_EXCEEDED /c");
		let deep: JsonValue = true;
		for (let i = 0; i < 63; i++) deep = { not: deep };
		expect(graph({ "/a": deep }, { A: deep })).toBe("ok 128 64");
		expect(graph({ "/a": { not: deep } })).toBe(`SCHEMA_LIMIT_EXCEEDED /a${"/not".repeat(64)}`);
	});

	it("refuses $schema and $defs in a root or a definition (C5, B3)", () => {
		expect(graph({ "/item": { $schema: SCHEMA_URI } })).toBe("SCHEMA_INVALID /item/$schema $schema");
		expect(graph({ "/item": { $defs: {} } })).toBe("SCHEMA_INVALID /item/$defs $defs");
		expect(graph({ "/item": { not: { $defs: {} } } })).toBe("SCHEMA_INVALID /item/not/$defs $defs");
		expect(graph({}, { A: { $defs: {} } })).toBe("SCHEMA_INVALID /$defs/A/$defs $defs");
		expect(graph({}, { A: { $schema: SCHEMA_URI } })).toBe("SCHEMA_INVALID /$defs/A/$schema $schema");
	});

	it("points into the descriptor", () => {
		expect(graph({ "/methods/a~1b/input": { properties: { x: { pattern: "" } } } })).toBe(
			"SCHEMA_KEYWORD_UNSUPPORTED /methods/a~1b/input/properties/x/pattern pattern",
		);
		expect(graph({ "/item": { $ref: "#/$defs/B" } }, { A: true })).toBe("SCHEMA_REFERENCE_INVALID /item/$ref $ref");
		expect(graph({}, { A: { not: { $ref: "#/$defs/A" } } })).toBe("SCHEMA_REFERENCE_INVALID /$defs/A/not/$ref $ref");
		expect(graph({}, { "bad-name": true })).toBe("SCHEMA_INVALID /$defs/bad-name $defs");
		expect(graph({ "/item": null })).toBe("SCHEMA_INVALID /item");
	});

	it("evaluates each root over the shared definitions", () => {
		const { schemas } = compileSchemaGraph({
			roots: [
				{ pointer: "/a", schema: { $ref: "#/$defs/A" } },
				{ pointer: "/b", schema: { items: { $ref: "#/$defs/A" } } },
			],
			defs: { A: { type: "string" } },
		});
		expect(schemas.map((schema) => schema.accepts("x"))).toEqual([true, true]);
		expect(schemas.map((schema) => schema.accepts([1]))).toEqual([false, false]);
		expect(schemas[1]!.evaluate([1]).diagnostics).toMatchObject([
			{ instancePointer: "/0", schemaPointer: "/$defs/A", keyword: "type" },
		]);
		expect(schemas[1]!.evaluate([[1]], { all: true }).work).toBe(1 + 1 + 1 + 1 + 1 + 1);
	});

	it("an inline schema may have definitions of its own, but no dialect (C6)", () => {
		const inline = (schema: JsonValue): string => outcome(() => compileInlineSchema(schema, "/channels/c/schema"));
		expect(inline({ $defs: { A: {} }, $ref: "#/$defs/A" })).toBe("ok 2 2");
		expect(inline(true)).toBe("ok 1 1");
		expect(inline({ $schema: SCHEMA_URI })).toBe("SCHEMA_INVALID /channels/c/schema/$schema $schema");
		expect(inline({ not: { $defs: {} } })).toBe("SCHEMA_INVALID /channels/c/schema/not/$defs $defs");
		expect(inline({ $defs: { A: { $ref: "#/$defs/A" } } })).toBe(
			"SCHEMA_REFERENCE_INVALID /channels/c/schema/$defs/A/$ref $ref",
		);
	});
});
