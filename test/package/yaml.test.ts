import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { JsonError, type JsonValue } from "../../src/json/index.ts";
import { PackageError, type PackageErrorCode } from "../../src/package/index.ts";
import { readYaml } from "../../src/package/yaml/read.ts";

const read = (text: string): JsonValue => readYaml(text).value;

function refusal(text: string): PackageError {
	try {
		readYaml(text);
	} catch (error) {
		expect(error).toBeInstanceOf(PackageError);
		return error as PackageError;
	}
	throw new Error(`accepted as ${JSON.stringify(read(text))}`);
}

describe("Package/1 section 2: scalars of the YAML 1.2 JSON schema", () => {
	test.each<[string, JsonValue]>([
		["null", null],
		["true", true],
		["false", false],
		["0", 0],
		["-0", -0],
		["-12", -12],
		["1.0", 1],
		["1.5e-3", 0.0015],
		["1E+2", 100],
		["9007199254740991", 9007199254740991],
		["1e-400", 0],
		["~", "~"],
		["Null", "Null"],
		["TRUE", "TRUE"],
		["yes", "yes"],
		["off", "off"],
		["0x10", "0x10"],
		["0o7", "0o7"],
		[".inf", ".inf"],
		["-.inf", "-.inf"],
		[".nan", ".nan"],
		["1_000", "1_000"],
		["12:30:45", "12:30:45"],
		["2026-08-24", "2026-08-24"],
		["1.2.3", "1.2.3"],
		["null null", "null null"],
		["true # comment", true],
		['"null"', "null"],
		["'true'", "true"],
		['"1"', "1"],
		["'it''s'", "it's"],
		['"\\u00e9\\x41\\t\\/"', "éA\t/"],
		["|\n  1\n", "1\n"],
		[">-\n  true\n", "true"],
		["a\n  b\n\n  c", "a b\nc"],
		["null\n  true", "null true"],
	])("%j", (scalar, value) => expect(read(`k: ${scalar}`)).toEqual({ k: value }));

	test.each(["1.", "+1", ".5", "012", "1e", "1e+", "--1", "-01", "1.e1", "0x", "１"])(
		"M11: %s is no RFC 8259 number, so a string",
		(scalar) => expect(read(`k: ${scalar}`)).toEqual({ k: scalar }),
	);

	test("M2: an empty plain scalar is the empty string", () => {
		expect(read("k:\nl: {a}\nm: [x: ]\nn:\n- \n- # c\n")).toEqual({ k: "", l: { a: "" }, m: [{ x: "" }], n: ["", ""] });
	});

	test("M4: a surrogate pair in two escapes is combined, a lone one is no JSON/1", () => {
		expect(read('k: "\\ud83d\\ude00"')).toEqual({ k: "😀" });
		for (const lone of ['"\\ud83d"', '"\\ude00\\ud83d"', '"\\ud83dx"']) {
			const error = refusal(`a: 1\nk: ${lone}`);
			expect(error).toMatchObject({ code: "PACKAGE_METADATA_INVALID", line: 3, column: 1, pointer: "/k" });
			expect(error.cause).toBeInstanceOf(JsonError);
		}
		expect(refusal('k: {"\\ud83d": 1}')).toMatchObject({ code: "PACKAGE_METADATA_INVALID" });
	});

	test("M10: a number of 128 characters passes, of 129 doesn't", () => {
		expect(read(`k: 0.${"1".repeat(126)}`)).toEqual({ k: Number(`0.${"1".repeat(126)}`) });
		expect(refusal(`k: 0.${"1".repeat(127)}`)).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "numberBytes", max: 128 },
		});
		expect(read(`k: "0.${"1".repeat(127)}"`)).toEqual({ k: `0.${"1".repeat(127)}` });
	});

	test.each(["9007199254740992", "-9007199254740992", "1e400", "1e16"])("%s is outside JSON/1", (number) => {
		expect(refusal(`k: ${number}`)).toMatchObject({ code: "PACKAGE_METADATA_INVALID", pointer: "/k" });
	});
});

describe("Package/1 section 2: keys", () => {
	test.each([
		"1: a",
		"true: a",
		"null: a",
		"1.5: a",
		"? 1\n: a",
		"{1: a}",
		"[1: a]",
		"? [a]\n: b",
		"? {a: b}\n: c",
		"{[a]: b}",
		"? - a\n: b",
	])("%j is no string key", (text) => expect(refusal(text)).toMatchObject({ code: "PACKAGE_YAML_INVALID" }));

	test.each([
		["'1': a", { 1: "a" }],
		['"true": a', { true: "a" }],
		["~: a", { "~": "a" }],
		["? a\n: b", { a: "b" }],
		["? a", { a: "" }],
		[": b", { "": "b" }],
		["'': b", { "": "b" }],
		["? |\n  k\n: b", { "k\n": "b" }],
		['{"a":1}', { a: 1 }],
		['{"a" : 1, b: [x, {c: d}]}', { a: 1, b: ["x", { c: "d" }] }],
	])("M12: %j", (text, value) => expect(read(text)).toEqual(value));

	test("M5: only a plain << is a merge key", () => {
		expect(refusal("a: 1\n<<: {b: 2}")).toMatchObject({ code: "PACKAGE_YAML_INVALID", line: 3, column: 1 });
		expect(refusal("x: {<<: y}")).toMatchObject({ code: "PACKAGE_YAML_INVALID" });
		expect(read("'<<': 1\n\"<<x\": 2\na: <<")).toEqual({ "<<": 1, "<<x": 2, a: "<<" });
	});

	test.each(["a: 1\na: 2", "a: 1\n'a': 2", '{a: 1, "\\u0061": 2}', "x:\n  b: 1\n  c: 2\n  b: 3", ": a\n'': b"])(
		"the duplicate key of %j is refused",
		(text) =>
			expect(refusal(text)).toMatchObject({ code: "PACKAGE_YAML_INVALID", message: expect.stringContaining("twice") }),
	);

	test("names with a meaning in JavaScript have none here", () => {
		const value = read("__proto__: {x: 1}\nconstructor: 2\ntoString: 3") as Record<string, unknown>;
		expect(Object.keys(value)).toEqual(["__proto__", "constructor", "toString"]);
		expect(value.x).toBeUndefined();
		expect(refusal("__proto__: 1\n__proto__: 2")).toMatchObject({ code: "PACKAGE_YAML_INVALID" });
	});
});

describe("Package/1 section 2: what is not part of FLOW.md", () => {
	test.each([
		["an anchor", "a: &x 1"],
		["an alias", "a: *x"],
		["a tag", "a: !!str 1"],
		["a local tag", "a: !x 1"],
		["a verbatim tag", "a: !<tag:yaml.org,2002:str> 1"],
		["the non-specific tag", "a: ! 1"],
		["a %YAML directive", "%YAML 1.2\n--- \na: 1"],
		["a %TAG directive", "%TAG ! tag:x,2000:\na: 1"],
		["an unknown directive", "%FOO bar\na: 1"],
		["M7: a marker after the opening delimiter", "--- \na: 1"],
		["a marker with content", "--- a: 1"],
		["a marker ended by a tab", "---\t\na: 1"],
		["M6: a document after ...", "a: 1\n...\nb: 2"],
		["M6: an empty document after ...", "a: 1\n...\n--- "],
		["two ... markers", "a: 1\n...\n..."],
		["... before everything", "...\na: 1"],
		["a byte order mark at the beginning", "\ufeffa: 1"],
		["a byte order mark in a plain scalar", "a: x\ufeffy"],
		["a byte order mark in a comment", "a: 1 # \ufeff"],
		["a byte order mark in a block scalar", "a: |\n  \ufeff"],
		["wrong structure", "a: b: c"],
		["a tab for indentation", "a:\n\tb: 1"],
		["a bad dedent", "a:\n    b: 1\n  c: 2"],
		["a comment glued to a value", 'a: "b"#c'],
		["text after a quoted scalar", 'a: "b" c'],
		["an unclosed quote", "a: 'b"],
		["an unclosed bracket", "a: [1, 2"],
		["an empty flow item", "a: [1,,2]"],
		["an unknown escape", 'a: "\\q"'],
		["a reserved indicator", "a: @b"],
		["another reserved indicator", "a: `b`"],
		["an implicit key of two lines", '"a\n b": c'],
		["a block sequence on the key's line", "a: - b"],
		["a key without a value", "a: 1\nb\n"],
		// The composer reads these as something else without a word.
		["a second node after an explicit key", '? "a" "b"\n: c'],
		["a sequence after an explicit key", "? a\n- b"],
		["an empty sequence item after an explicit key", "? a\n- "],
		["two values on one line", "a: {}: b"],
		["an entry on the line of another", "a: []: 's'"],
		["a text less indented than its key, after a comment", "a:\n#c\n  b\nc"],
		["a block scalar no more indented than its key, after a comment", "a:\n  b:\n#c\n    |\n  c"],
		["a quoted text less indented than its key, after a comment", "a:\n#c\n  'b\nc'"],
		["brackets less indented than their key, after a comment", "a:\n#c\n  [1,\n2]"],
		["section 7.4: a colon below its key", "a\n : b"],
		["section 7.4: a colon below its key and a comment", "a: 1\nb # c\n\n : d"],
		["section 8.2: an entry without a key deeper than the others", "a:\n  b: {}\n   : c"],
		["section 8.2: the same after a block scalar", "a:\n  b: |\n    x\n   : c"],
		["section 8.2.2: the colon of an explicit key at another column", "? a\n : b"],
	])("%s", (_, text) => expect(refusal(text)).toMatchObject({ code: "PACKAGE_YAML_INVALID", path: "FLOW.md" }));

	test("M6: a trailing ... with nothing but comments after it is accepted", () => {
		expect(read("a: 1\n...")).toEqual({ a: 1 });
		expect(read("a: 1\n...\n\n# c\n")).toEqual({ a: 1 });
	});

	test("M8: a closing bracket must be indented, unless no block holds it", () => {
		expect(refusal("a: [\n  1\n]")).toMatchObject({ code: "PACKAGE_YAML_INVALID", line: 4, column: 1 });
		expect(refusal("- a: {\n  }")).toMatchObject({ code: "PACKAGE_YAML_INVALID" });
		expect(read("a: [\n  1\n ]\nb: [ # c\n# d\n  2]")).toEqual({ a: [1], b: [2] });
		expect(read('{\n"a": [\n1\n]\n}')).toEqual({ a: [1] });
	});

	test.each([
		"\u0000",
		"\u0001",
		"\u0008",
		"\u000b",
		"\u000c",
		"\u001b",
		"\u007f",
		"\u0080",
		"\u009f",
		"\ufffe",
		"\uffff",
	])("M9: the raw character %j is refused everywhere in frontmatter", (character) => {
		for (const text of [`a: x${character}`, `a: "${character}"`, `a: 1 # ${character}`]) {
			expect(refusal(text)).toMatchObject({ code: "PACKAGE_YAML_INVALID", line: 2 });
		}
	});

	test("escapes, NEL, no-break space, U+2028 and supplementary characters are text", () => {
		expect(read('a: "\\0\\e\\x7f\\uffff"')).toEqual({ a: "\u0000\u001b\u007f\uffff" });
		expect(read("a: x\u0085y\u00a0z\u2028w\u{1f600}")).toEqual({ a: "x\u0085y\u00a0z\u2028w\u{1f600}" });
		expect(read("a: '\ufeff'")).toEqual({ a: "\ufeff" });
	});

	test("a colon where a key wants it: its line, the column of its ?, any line in brackets", () => {
		expect(read('a : 1\n"b"\t: 2\n? c\n: 3\n? d\n\n# e\n: 4\nf: {g\n  : 5}\nh:\n- i: 6\n  : 7')).toEqual({
			a: 1,
			b: 2,
			c: 3,
			d: 4,
			f: { g: 5 },
			h: [{ i: 6, "": 7 }],
		});
	});

	test.each([
		["one", 'a: "b\\\n\n  c"', "b\nc"],
		["two, with spaces and tabs", 'a: "b\\\n  \t\n\n  c"', "b\n\nc"],
		["at the beginning and the end", 'a: "\\\n\n  b\\\n\n  "', "\nb\n"],
		["with CRLF", 'a: "b\\\r\n\r\n  c"', "b\nc"],
		["not after an escaped backslash", 'a: "b\\\\\n\n  c"', "b\\\nc"],
		["not without empty lines", 'a: "b\\\n  c"', "bc"],
	])("section 7.3.1: empty lines after an escaped line break are line feeds: %s", (_, text, a) =>
		expect(read(text)).toEqual({ a }),
	);

	test.each([
		["alone", "a: |2\n    \n", "  \n"],
		["folded", "a: >2\n    \n", "  \n"],
		["at the end", "a: |1\n  b\n  \n\n", " b\n \n"],
		["stripped", "a: |1-\n b\n  \n", "b\n "],
		["kept", "a: |+1\n b\n  \n\n", "b\n \n\n"],
		["folded after text", "a: >1\n b\n  \n c\n", "b\n \nc\n"],
		["with CRLF", "a: |2\r\n    \r\n", "  \n"],
		["no longer than the indentation", "a: |2\n  \n", ""],
		["in a sequence", "a:\n  - |1\n     \n  - b", ["  \n", "b"]],
	])("section 8.1: spaces beyond an indentation indicator are content: %s", (_, text, a) =>
		expect(read(text)).toEqual({ a }),
	);

	test("M14: tabs separate where YAML lets them", () => {
		expect(read("a:\tb\nc: d\t# e\nf: [ 1,\t2 ]\n-g: x")).toEqual({ a: "b", c: "d", f: [1, 2], "-g": "x" });
		expect(read("a:\n  \t# only a comment\n  b: 1\n\t\nc:\n \ttext")).toEqual({ a: { b: 1 }, c: "text" });
	});

	test("line ends: LF, CRLF and a lone CR are one and the same", () => {
		const lines = ["a: 1", "b: |", "  x", "  y", "c: 'p", "  q'", ""];
		for (const end of ["\n", "\r\n", "\r"]) expect(read(lines.join(end))).toEqual({ a: 1, b: "x\ny\n", c: "p q" });
	});
});

describe("Package/1 section 2: bounds of the metadata", () => {
	const flow = (depth: number): string => `${"[".repeat(depth)}null${"]".repeat(depth)}`;
	const block = (depth: number): string =>
		Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}k:\n`)
			.join("")
			.concat(" ".repeat(depth), "v");

	test("depth 16 with the root at 1 and scalars counted (M13)", () => {
		expect(() => read(`a: ${flow(14)}`)).not.toThrow();
		expect(() => read(block(15))).not.toThrow();
		expect(() => read(`a: ${"[".repeat(15)}${"]".repeat(15)}`)).not.toThrow();
		expect(() => read(`a:\n  ${"- ".repeat(14)}x`)).not.toThrow();
		for (const text of [
			`a: ${flow(15)}`,
			block(16),
			`a: ${"[".repeat(16)}${"]".repeat(16)}`,
			`a:\n  ${"- ".repeat(15)}x`,
		]) {
			expect(refusal(text)).toMatchObject({
				code: "PACKAGE_LIMIT_EXCEEDED",
				limit: { name: "metadataDepth", max: 16 },
			});
		}
	});

	test("4,096 value nodes; keys are none (R5)", () => {
		// The root, 16 sequences, and what is in them.
		const text = (items: number): string => {
			let left = items;
			let yaml = "";
			for (let i = 0; i < 17; i++) {
				const take = Math.min(left, 250);
				left -= take;
				yaml += `k${i}: [${Array(take).fill("x").join(", ")}]\n`;
			}
			return yaml;
		};
		expect(() => read(text(4_096 - 18))).not.toThrow();
		expect(refusal(text(4_096 - 17))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "metadataNodes", max: 4_096 },
		});
		const maps = (entries: number): string =>
			Array.from({ length: 16 }, (_, i) => {
				const inside = Array.from({ length: i < 15 ? 255 : entries }, (_, k) => `k${k}: x`);
				return `m${i}: {${inside.join(", ")}}\n`;
			}).join("");
		// 1 + 16 + 15 * 255 + entries
		expect(() => read(maps(4_096 - 1 - 16 - 15 * 255))).not.toThrow();
		expect(refusal(maps(4_096 - 16 - 15 * 255))).toMatchObject({ code: "PACKAGE_LIMIT_EXCEEDED" });
	});

	test("256 entries in a map, 256 items in a sequence", () => {
		const map = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}: x\n`).join("");
		expect(() => read(map(256))).not.toThrow();
		expect(refusal(map(257))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "mapEntries", max: 256 },
		});
		const sequence = (count: number): string => `k:\n${"- x\n".repeat(count)}`;
		expect(() => read(sequence(256))).not.toThrow();
		expect(refusal(sequence(257))).toMatchObject({
			code: "PACKAGE_LIMIT_EXCEEDED",
			limit: { name: "sequenceItems", max: 256 },
		});
	});
});

describe("the guard before the composer", () => {
	test("the two documents that abort Node 20 when they reach it are refused, in one process", () => {
		for (const depth of [1_000, 2_000, 100_000]) {
			for (const text of [
				`${"[".repeat(depth)}${"]".repeat(depth)}`,
				`a: ${"{a: ".repeat(depth)}1${"}".repeat(depth)}`,
				"- ".repeat(depth),
				`${"? ".repeat(depth)}a`,
				`a:\n${"- ".repeat(depth)}`,
				`${"[? ".repeat(depth)}`,
			]) {
				expect(refusal(text)).toMatchObject({
					code: "PACKAGE_LIMIT_EXCEEDED",
					limit: { name: "metadataDepth", max: 16 },
				});
			}
		}
	});

	test.each<[string, string, PackageErrorCode | undefined]>([
		["empty lines", "\n", undefined],
		["comments", "#\n", undefined],
		["indented comments", " #c\n", undefined],
		["spaces", " ", undefined],
		["tabs", "\t\n", undefined],
		["keys", "k: v\n", "PACKAGE_LIMIT_EXCEEDED"],
		["items", "- x\n", "PACKAGE_LIMIT_EXCEEDED"],
		["commas", ",", "PACKAGE_YAML_INVALID"],
		["colons", ":\n", "PACKAGE_LIMIT_EXCEEDED"],
		["questions", "?\n", "PACKAGE_LIMIT_EXCEEDED"],
		["quotes", '"', "PACKAGE_YAML_INVALID"],
		["empty collections", "[]", "PACKAGE_LIMIT_EXCEEDED"],
		["backslashes", "\\", undefined],
		["escaped quotes", '"\\"', "PACKAGE_YAML_INVALID"],
		["words", "a ", undefined],
		["folded words", "a\n", undefined],
	])("262,000 bytes of %s take time in proportion", (_, unit, code) => {
		const before = performance.now();
		const text = unit.repeat(262_000 / unit.length);
		if (code === undefined) expect(typeof read(text)).toBe("string");
		else expect(["PACKAGE_LIMIT_EXCEEDED", "PACKAGE_YAML_INVALID"]).toContain(refusal(text).code);
		// Far above what it takes on a busy machine, far below what a quadratic reader would need.
		expect(performance.now() - before).toBeLessThan(10_000);
	});
});

describe("the reader against generated documents", () => {
	const text = fc
		.string({ unit: "grapheme", maxLength: 12 })
		.filter((s) => !/[\u007f-\u009f\ufeff\ufffe\uffff]/.test(s));
	const scalar = fc.oneof(
		text,
		fc.constantFrom(
			"null",
			"true",
			"1",
			"-0.5e3",
			"~",
			"<<",
			"# x",
			"- a",
			"a: b",
			"---",
			"...",
			"",
			" x ",
			"'",
			'"',
			"\n",
			"a\nb\n",
		),
		fc.integer(),
		fc.double({ noDefaultInfinity: true, noNaN: true }).filter((x) => !Number.isInteger(x)),
		fc.boolean(),
		fc.constant(null),
	);
	const { value } = fc.letrec<{ value: JsonValue; leaf: JsonValue }>((tie) => ({
		leaf: scalar as fc.Arbitrary<JsonValue>,
		value: fc.oneof(
			{ maxDepth: 5, withCrossShrink: true },
			tie("leaf"),
			fc.array(tie("value"), { maxLength: 5 }),
			fc.dictionary(text, tie("value"), { maxKeys: 5 }),
		) as fc.Arbitrary<JsonValue>,
	}));

	test("JSON is YAML: every value comes back from its JSON text", () => {
		fc.assert(
			fc.property(value, fc.constantFrom("", "  ", "\t"), (json, space) => {
				const lines = JSON.stringify(json, null, space);
				// A root collection needs no indentation; inside a key it would.
				expect(read(lines)).toEqual(JSON.parse(JSON.stringify(json)));
			}),
			{ numRuns: 300, seed: 7 },
		);
	});

	test("every value comes back from block style", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), value, { maxKeys: 4 }), (json) => {
				const plain = JSON.parse(JSON.stringify(json)) as JsonValue;
				// The core schema quotes all that the JSON schema, or an older one, could take for another type.
				const yaml = stringify(plain, { version: "1.2", aliasDuplicateObjects: false, lineWidth: 0, indentSeq: true });
				expect(read(yaml)).toEqual(plain);
			}),
			{ numRuns: 300, seed: 7 },
		);
	});

	test("any text is read or refused with a place, and nothing else", () => {
		const pieces = [
			"a",
			"b: ",
			": ",
			"- ",
			"? ",
			"[",
			"]",
			"{",
			"}",
			", ",
			"\n",
			"\n  ",
			"\n ",
			" ",
			"#c",
			"|\n",
			">-\n",
			'"',
			"'",
			"\\",
			"\t",
			"\r",
			"&",
			"*",
			"!",
			"%",
			"...",
			"1",
			"null",
			"\u0000",
			"\ufeff",
			"@",
		];
		fc.assert(
			fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (parts) => {
				try {
					readYaml(parts.join(""));
				} catch (error) {
					expect(error).toBeInstanceOf(PackageError);
					expect(error).toMatchObject({ path: "FLOW.md", line: expect.any(Number), column: expect.any(Number) });
				}
			}),
			{ numRuns: 3_000, seed: 7 },
		);
	});
});
