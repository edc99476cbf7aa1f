import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseExact } from "../../src/json/exact.ts";
import { admitJson, canonicalText, equalJson, JsonError, type JsonValue, parseJson } from "../../src/json/index.ts";
import { parseNative, parsePart } from "../../src/json/native.ts";
import { utf8, verdict } from "./support.ts";

/** A document as it is written: members as a list, so that names may repeat. */
type Written = null | boolean | string | { number: string } | Written[] | { members: [string, Written][] };

const names = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.constantFrom("a", "b", "", "0", "10", "__proto__", "toString", "é", "😀", ":", '"', "\\"),
	},
	{ weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
);
const texts = fc.oneof(
	fc.string({ unit: "binary", maxLength: 8 }),
	fc.constantFrom("\ud800", "\udc00x", "a:b", "1e5", "\\u0041"),
);
const numbers = fc.oneof(
	fc.double().filter(Number.isFinite).map(String),
	fc.integer().map(String),
	fc.constantFrom(
		"-0",
		"1e400",
		"9007199254740991",
		"9007199254740992",
		"9007199254740991.5",
		"1E-5",
		"0.10",
		"1e-400",
	),
	fc.integer({ min: 120, max: 135 }).map((digits) => `0.${"1".repeat(digits - 2)}`),
);
const { written } = fc.letrec<{ written: Written }>((tie) => ({
	written: fc.oneof(
		{ maxDepth: 5, withCrossShrink: true },
		fc.constantFrom(null, true, false),
		numbers.map((number) => ({ number })),
		texts,
		fc.array(tie("written"), { maxLength: 5 }),
		fc.array(fc.tuple(names, tie("written")), { maxLength: 5 }).map((members) => ({ members })),
	),
}));

/** Writes a document with the spaces and escapes that `style` draws; says whether JSON/1 allows it, and its value. */
class Writer {
	readonly #style: () => number;
	allowed = true;

	constructor(style: () => number) {
		this.#style = style;
	}

	write(value: Written): string {
		if (value === null || typeof value === "boolean") return this.#spaced(String(value));
		if (typeof value === "string") return this.#spaced(this.#string(value));
		if (Array.isArray(value))
			return this.#spaced(`[${value.map((item) => this.write(item)).join(",")}${this.#space()}]`);
		if ("number" in value) {
			const x = Number(value.number);
			if (Math.abs(x) > Number.MAX_SAFE_INTEGER || value.number.length > 128) this.allowed = false;
			return this.#spaced(value.number);
		}
		if (new Set(value.members.map(([name]) => name)).size !== value.members.length) this.allowed = false;
		const members = value.members.map(([name, child]) => `${this.#spaced(this.#string(name))}:${this.write(child)}`);
		return this.#spaced(`{${members.join(",")}${this.#space()}}`);
	}

	#space(): string {
		return ["", "", "", " ", "\n", "\t \r"][this.#style() % 6]!;
	}

	#spaced(text: string): string {
		return this.#space() + text + this.#space();
	}

	#string(text: string): string {
		if (!text.isWellFormed()) this.allowed = false;
		let out = '"';
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			const mustEscape = unit < 0x20 || unit === 0x22 || unit === 0x5c;
			// A literal lone surrogate has no bytes: escape what isn't well-formed.
			if (mustEscape || !text.isWellFormed() || this.#style() % 7 === 0) {
				const hex = unit.toString(16).padStart(4, "0");
				out += `\\u${this.#style() % 2 === 0 ? hex : hex.toUpperCase()}`;
			} else {
				out += text[i];
			}
		}
		// An escaped half beside a literal one makes a literal lone surrogate: write such a string whole in escapes.
		if (text.isWellFormed() && !out.isWellFormed()) {
			return `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`;
		}
		return `${out}"`;
	}
}

function valueIn(written: Written): JsonValue {
	if (written === null || typeof written !== "object") return written;
	if (Array.isArray(written)) return written.map(valueIn);
	if ("number" in written) return Number(written.number);
	const value: Record<string, JsonValue> = {};
	for (const [name, child] of written.members) {
		Object.defineProperty(value, name, { value: valueIn(child), writable: true, enumerable: true, configurable: true });
	}
	return value;
}

/** A deterministic stream of small integers from one seed (xorshift). */
function stream(seed: number): () => number {
	let state = seed | 1;
	return () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return state >>> 0;
	};
}

test("a written document is read to its value, or refused, by both readers alike", () => {
	fc.assert(
		fc.property(written, fc.integer(), (document, seed) => {
			const writer = new Writer(stream(seed));
			const text = writer.write(document);
			const exact = verdict(() => parseExact(utf8(text)));
			expect("value" in exact).toBe(writer.allowed);
			if ("value" in exact) expect(exact.value).toStrictEqual(valueIn(document));
			expect(verdict(() => parseJson(utf8(text)))).toStrictEqual(exact);
			expect(verdict(() => parseJson(text))).toStrictEqual(exact);
		}),
		{ numRuns: 1_500, seed: 8259 },
	);
});

describe("JSON/1 section 1: an escaped name is the name it stands for", () => {
	// V8 15.0 believes to know the second document's names once it has read the first.
	it.each([
		['{"a":1,"\\\\":2}', '{"a":1,"\\n":2}', ["a", "\n"]],
		['{"a":1,"b\\\\":2}', '{"a":1,"b\\u0063":2}', ["a", "bc"]],
		['[{"__proto__":1,"\\\\":2}]', '{"__proto__":1,"\\"":2}', ["__proto__", '"']],
	])("after %s, %s", (before, text, names) => {
		for (const read of [(each: string) => parseJson(each), (each: string) => parsePart(each, 1)]) {
			for (let times = 0; times < 3; times++) read(before);
			expect(Object.keys((read(text) ?? parseExact(utf8(text))) as object)).toEqual(names);
		}
	});
});

const SEEDS = [
	'{"a":[1,-2.5e3,true,false,null],"b":{"c":"d\\u00e9\\ud83d\\ude00","":""},"é😀":"\\n\\\\"}',
	'[{"x":1,"y":[]},{"x":2,"y":{}},{"x":9007199254740991,"y":"a:b"}]',
	' { "k" : { "k" : { "k" : [ 0 , 0.5 , 1e2 ] } } } ',
	'"\\"\\u0041:{}[],"',
	"-0.0e-0",
];
const PIECES = [
	'"',
	"\\",
	":",
	",",
	"[",
	"]",
	"{",
	"}",
	"0",
	"1",
	"-",
	".",
	"e",
	"E",
	"+",
	"u",
	"\\u",
	"\\ud83d",
	"\\udc00",
	" ",
	"\n",
	"true",
	"null",
	'"a":1',
	'"a":',
	"a",
	"é",
	"😀",
	"\ufeff",
	"9007199254740992",
	"1e400",
	"\u0000",
	"1".repeat(127),
];

test("a mutated document meets one verdict, whichever reader answers, and the grammar is the engine's", () => {
	const next = stream(42);
	const encoded = PIECES.map((piece) => utf8(piece));
	let admitted = 0;
	for (let run = 0; run < 8_000; run++) {
		let bytes = Array.from(utf8(SEEDS[next() % SEEDS.length]!));
		for (let edits = 1 + (next() % 3); edits > 0; edits--) {
			const at = next() % (bytes.length + 1);
			const kind = next() % 5;
			if (kind === 0) bytes.splice(at, 1 + (next() % 3));
			else if (kind === 1) bytes[Math.min(at, bytes.length - 1)] = next() % 256;
			else if (kind === 2) bytes = [...bytes.slice(0, at), ...bytes.slice(next() % (bytes.length + 1))];
			else bytes.splice(at, kind === 3 ? 0 : 1, ...encoded[next() % encoded.length]!);
			if (bytes.length === 0) bytes = [0x20];
		}
		const source = Uint8Array.from(bytes);
		const exact = verdict(() => parseExact(source));
		expect(verdict(() => parseJson(source))).toStrictEqual(exact);
		if ("value" in exact) admitted++;
		if ("refused" in exact && exact.refused.code === "JSON_UTF8") continue;
		const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(source);
		expect(verdict(() => parseJson(text))).toStrictEqual(exact);
		let grammatical = true;
		try {
			const value = JSON.parse(text);
			if ("value" in exact) expect(exact.value).toStrictEqual(value);
		} catch {
			grammatical = false;
		}
		if ("value" in exact) expect(grammatical).toBe(true);
		else if (exact.refused.code === "JSON_SYNTAX" || exact.refused.code === "JSON_BOM") expect(grammatical).toBe(false);
	}
	expect(admitted).toBeGreaterThan(200);
});

describe("with names added to Object.prototype", () => {
	const polluted = (name: string, descriptor: PropertyDescriptor, act: () => void) => {
		Object.defineProperty(Object.prototype, name, { configurable: true, ...descriptor });
		try {
			act();
		} finally {
			delete (Object.prototype as Record<string, unknown>)[name];
		}
	};

	test("an inherited enumerable name doesn't stand in for a lost member", () => {
		polluted("b", { value: 1, enumerable: true, writable: true }, () => {
			expect(verdict(() => parseJson('{"a":1,"a":2}'))).toMatchObject({ refused: { code: "JSON_DUPLICATE_MEMBER" } });
			expect(Object.keys(parseJson('{"b":2}') as object)).toEqual(["b"]);
			expect(Object.keys(parseExact(utf8('{"b":2}')) as object)).toEqual(["b"]);
		});
	});

	test.each<string>([
		...["get", "set", "value", "writable", "enumerable", "configurable"],
		...["items", "members", "count", "name", "kind", "code", "limit", "message", "at", "end", "length"],
	])("what the readers and the guard go by is their own, not an inherited %s", (name) => {
		const texts = [
			'{"toString":[1,{"__proto__":"\\u0041"}],"value":{}}',
			'{"a":1,"a":2}',
			"[1e400]",
			'["\\ud800"]',
			"nul",
		];
		const accessor = Object.defineProperty({}, "a", { get: () => 1, enumerable: true });
		const answer = (read: () => JsonValue) => {
			try {
				return canonicalText(read());
			} catch (error) {
				return error instanceof JsonError ? error.code : error;
			}
		};
		const answers = () => [
			...texts.map((text) => answer(() => parseExact(utf8(text)))),
			...texts.map((text) => answer(() => parseJson(text))),
			answer(() => admitJson({ toString: 1, a: [2] })),
			answer(() => admitJson(accessor)),
		];
		const expected = answers();
		for (const value of ["x", {}, () => 7]) {
			let found: unknown[] = [];
			polluted(name, Object.assign(Object.create(null), { value, writable: true }), () => {
				found = answers();
			});
			expect(found).toEqual(expected);
		}
	});

	test("an inherited setter never runs", () => {
		let ran = false;
		const set = () => {
			ran = true;
		};
		polluted("trap", { set, get: () => "inherited" }, () => {
			expect(Object.entries(parseExact(utf8('{"trap":1}')) as object)).toEqual([["trap", 1]]);
			expect(Object.entries(parseJson('{"trap":1}') as object)).toEqual([["trap", 1]]);
		});
		expect(ran).toBe(false);
	});
});

describe("big texts", () => {
	const rows = (count: number, row: string) => `[${new Array(count).fill(row).join(",")}]`;

	test.each<[string, string]>([
		["brackets in a string", `["${"[{,:".repeat(80_000)}"]`],
		["commas in a string", `["${",".repeat(600_000)}"]`],
		["many empty containers", rows(300, rows(300, "[]"))],
		[
			"as many values as allowed, all empty containers",
			`[${rows(65_535, "[]")},${rows(65_535, "{}")},${rows(65_535, "[]")},${rows(65_534, "{}")}]`,
		],
		["member colons and others", rows(3_000, '{"at":"12:30:00","x":"\\":","y" :": "}')],
		["digits in a string", `{"k":"${"0123456789".repeat(20_000)}","n":${"1".repeat(15)}}`],
	])("are answered by the fast reader: %s", (_, text) => {
		expect(equalJson(parseNative(text)!, parseExact(utf8(text)))).toBe(true);
	});

	test.each<[string, string]>([
		[
			"one value too many, all empty containers",
			`[${rows(65_535, "[]")},${rows(65_535, "{}")},${rows(65_535, "[]")},${rows(65_535, "{}")}]`,
		],
		["a duplicate far behind", `[${rows(3_000, '{"at":"12:30:00"}')},{"a":1,"a":1}]`],
		["a duplicate that a colon in a string would hide", '{"a":1,"a":2,"b":"\\":"}'],
		["a long number behind a long string", `["${"a".repeat(1_000)}",${"1.0".padEnd(129, "0")}]`],
	])("are left to the exact reader: %s", (_, text) => {
		expect(parseNative(text)).toBeUndefined();
		expect(verdict(() => parseExact(utf8(text)))).toHaveProperty("refused");
	});

	test.each<[string, string, number]>([
		["brackets, a hundred thousand deep", "[".repeat(100_000), 128],
		["brackets, eight million deep and closed", "[".repeat(8_000_000) + "]".repeat(8_000_000), 128],
		["members, two million deep", '{"a":'.repeat(2_000_000), 640],
		["five million empty objects", `[${"{},".repeat(5_000_000)}{}]`, 196_609],
		["sixteen million digits", "1".repeat(16_000_000), 0],
		["sixteen million quotes", '"'.repeat(16_000_000), 2],
	])("that are hostile are refused at once: %s", (_, text, offset) => {
		expect(verdict(() => parseJson(text))).toMatchObject({ refused: { offset } });
	});
});

describe("what the fast reader leaves to the exact one", () => {
	test.each(['{"a":1,"a":2}', "[1e400]", '"\\ud800"', "[", "1".repeat(129), "[".repeat(129) + "]".repeat(129)])(
		"%j",
		(text) => {
			expect(parseNative(text)).toBeUndefined();
		},
	);

	test.each(['{"a":":1e9","b":"\\":"}', `"${"-".repeat(500)}"`, '{"a":{"b":[{"c":1}]}}', '"\\\\"'])(
		"and what it answers itself: %j",
		(text) => {
			expect(parseNative(text)).toStrictEqual(JSON.parse(text));
		},
	);
});
