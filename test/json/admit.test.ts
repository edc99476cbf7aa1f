import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admitJson, equalJson, type JsonErrorCode, type JsonValue, parseJson } from "../../src/json/index.ts";
import { facts, refusal } from "./support.ts";

/** Anything that a script can build in a realm of its own. */
const foreign = (script: string): unknown => runInNewContext(script);

describe("host values that are admitted", () => {
	test.each<[string, unknown, JsonValue]>([
		["null", null, null],
		["true", true, true],
		["negative zero", -0, -0],
		["the greatest integer", [Number.MAX_SAFE_INTEGER], [Number.MAX_SAFE_INTEGER]],
		["a fraction near the bound", 4503599627370495.5, 4503599627370495.5],
		["a pair of surrogates", "😀", "😀"],
		["an empty array", [], []],
		["a plain object", { a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }],
		["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
		["an object of another realm", foreign("({ a: [1, {}] })"), { a: [1, {}] }],
		["an array of another realm", foreign("[[], {}, 'x']"), [[], {}, "x"]],
		["a frozen value", Object.freeze({ a: Object.freeze([1]) }), { a: [1] }],
		["what the engine's parser gives", JSON.parse('{"a":[{"constructor":1}]}'), { a: [{ constructor: 1 }] }],
		["a proxy without traps", new Proxy({ a: new Proxy([1], {}) }, {}), { a: [1] }],
		[
			"members named like methods",
			{ toString: 1, toJSON: "x", hasOwnProperty: null },
			{ toString: 1, toJSON: "x", hasOwnProperty: null },
		],
	])("%s", (_, given, expected) => {
		const admitted = admitJson(given);
		expect(admitted).toStrictEqual(expected);
		expect(equalJson(admitted, expected)).toBe(true);
	});

	test("an own __proto__ stays a member and changes no prototype", () => {
		for (const given of [JSON.parse('{"__proto__":{"x":1}}'), parseJson('{"__proto__":{"x":1}}')]) {
			const admitted = admitJson(given) as { x?: unknown };
			expect(Object.keys(admitted)).toEqual(["__proto__"]);
			expect(Object.getPrototypeOf(admitted)).toBe(Object.prototype);
			expect(admitted.x).toBeUndefined();
		}
	});

	test("the copy is isolated: shared references become copies, later changes don't reach it", () => {
		const shared = { n: 1 };
		const given = { a: shared, b: [shared] };
		const admitted = admitJson(given) as { a: unknown; b: unknown[] };
		shared.n = 2;
		given.b.push(shared);
		expect(admitted).toStrictEqual({ a: { n: 1 }, b: [{ n: 1 }] });
		expect(admitted.a).not.toBe(admitted.b[0]);
		expect(Object.isFrozen(admitted)).toBe(false);
	});
});

class Point {
	x = 1;
}
class Bare extends (null as unknown as ObjectConstructor) {
	static make(): object {
		return Object.create(Bare.prototype);
	}
}
class List extends Array<number> {}
const sparse = [1, 2, 3];
delete sparse[1];
const extra = Object.assign([1], { note: 1 });
const symbolic = { a: 1, [Symbol("s")]: 1 };
const hidden = Object.defineProperty({}, "a", { value: 1, enumerable: false });
const hiddenItem = Object.defineProperty([1], 0, { value: 1, enumerable: false });
const getter = {
	get a(): number {
		throw new Error("an accessor ran");
	},
};
const getterItem = Object.defineProperty([1], 0, { get: getter.constructor as () => unknown, enumerable: true });
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const revokedArray = Proxy.revocable([], {});
revokedArray.revoke();

describe("host values that are refused", () => {
	test.each<[string, unknown, JsonErrorCode]>([
		["undefined", undefined, "JSON_TYPE"],
		["a function", () => 1, "JSON_TYPE"],
		["a class", Point, "JSON_TYPE"],
		["a symbol", Symbol("s"), "JSON_TYPE"],
		["a bigint", 1n, "JSON_TYPE"],
		["NaN", Number.NaN, "JSON_NUMBER_RANGE"],
		["Infinity", Number.POSITIVE_INFINITY, "JSON_NUMBER_RANGE"],
		["-Infinity", Number.NEGATIVE_INFINITY, "JSON_NUMBER_RANGE"],
		["2^53", 2 ** 53, "JSON_NUMBER_RANGE"],
		["-2^53", -(2 ** 53), "JSON_NUMBER_RANGE"],
		["1e22", 1e22, "JSON_NUMBER_RANGE"],
		["a lone surrogate", "a\ud800", "JSON_LONE_SURROGATE"],
		["a reversed pair", "\udc00\ud800", "JSON_LONE_SURROGATE"],
		["a class instance", new Point(), "JSON_TYPE"],
		["an instance of a class without a base", Bare.make(), "JSON_TYPE"],
		["an object that inherits", Object.create({ a: 1 }), "JSON_TYPE"],
		["an object that inherits from one without a prototype", Object.create(Object.create(null)), "JSON_TYPE"],
		["a Map", new Map(), "JSON_TYPE"],
		["a Set", new Set(), "JSON_TYPE"],
		["a Date", new Date(0), "JSON_TYPE"],
		["a RegExp", /x/, "JSON_TYPE"],
		["an Error", new Error("x"), "JSON_TYPE"],
		["a promise", Promise.resolve(), "JSON_TYPE"],
		["bytes", new Uint8Array(1), "JSON_TYPE"],
		["a buffer", new ArrayBuffer(1), "JSON_TYPE"],
		["a boxed string", Object("x"), "JSON_TYPE"],
		["a boxed number", Object(1), "JSON_TYPE"],
		["a boxed boolean", Object(true), "JSON_TYPE"],
		["Math", Math, "JSON_TYPE"],
		["a Map of another realm", foreign("new Map()"), "JSON_TYPE"],
		["a class instance of another realm", foreign("new (class A { constructor() { this.a = 1 } })()"), "JSON_TYPE"],
		["arguments", foreign("(function () { return arguments })(1)"), "JSON_TYPE"],
		["a function of another realm", foreign("() => 1"), "JSON_TYPE"],
		["a subclass of Array", List.from([1]), "JSON_TYPE"],
		["an array without a prototype", Object.setPrototypeOf([1], null), "JSON_TYPE"],
		["an array with the prototype of objects", Object.setPrototypeOf([1], Object.prototype), "JSON_TYPE"],
		["an array with a hole", sparse, "JSON_TYPE"],
		["an array of holes", new Array(3), "JSON_TYPE"],
		["a hole that an extra property makes up for", Object.assign(new Array(1), { x: 1 }), "JSON_TYPE"],
		["an array with an extra property", extra, "JSON_TYPE"],
		["an array with a symbol", Object.assign([1], { [Symbol("s")]: 1 }), "JSON_TYPE"],
		["a symbol for a name", symbolic, "JSON_TYPE"],
		["a hidden property", hidden, "JSON_TYPE"],
		["a hidden item", hiddenItem, "JSON_TYPE"],
		["an accessor", getter, "JSON_TYPE"],
		["an accessor for an item", getterItem, "JSON_TYPE"],
		["toJSON as a method", { toJSON: () => 1 }, "JSON_TYPE"],
		["a member that is undefined", { a: undefined }, "JSON_TYPE"],
		["a name with a lone surrogate", { "\udfff": 1 }, "JSON_LONE_SURROGATE"],
		["a revoked proxy", revoked.proxy, "JSON_TYPE"],
		["a revoked proxy of an array", revokedArray.proxy, "JSON_TYPE"],
		["a proxy of a function", new Proxy(() => 1, {}), "JSON_TYPE"],
	])("%s", (_, given, code) => {
		expect(refusal(() => admitJson(given)).code).toBe(code);
		expect(refusal(() => admitJson({ deep: [0, given] }))).toMatchObject({ code });
		expect(refusal(() => admitJson({ deep: [0, given] })).pointer).toMatch(/^\/deep\/1/);
	});

	test("with the pointer of the value, its names escaped", () => {
		expect(facts(refusal(() => admitJson({ "a/b": [{}, { "~": undefined }] })))).toEqual({
			code: "JSON_TYPE",
			pointer: "/a~1b/1/~0",
		});
		expect(facts(refusal(() => admitJson([[], [[]], 1n])))).toEqual({ code: "JSON_TYPE", pointer: "/2" });
		expect(facts(refusal(() => admitJson(1n)))).toEqual({ code: "JSON_TYPE", pointer: "" });
		expect(facts(refusal(() => admitJson({ a: sparse })))).toEqual({ code: "JSON_TYPE", pointer: "/a" });
	});

	test("in a message that is safe to show, however long the names are", () => {
		const name = `\u001b\u202e${"n".repeat(900)}`;
		const { message } = refusal(() => admitJson({ [name]: { [name]: 1n } }));
		expect(message).toMatch(/^JSON has no bigint at "\/\\u\{1b\}\\u\{202e\}n+…"\.$/);
		expect(message.length).toBeLessThan(400);
	});

	test("and nothing that doesn't apply", () => {
		expect(Object.keys(refusal(() => admitJson(1n))).sort()).toEqual(["code", "name", "pointer", "reason"]);
	});

	test("a cycle, at the reference that closes it", () => {
		const self: Record<string, unknown> = { a: {} };
		(self.a as Record<string, unknown>).back = self;
		expect(facts(refusal(() => admitJson(self)))).toEqual({ code: "JSON_CYCLE", pointer: "/a/back" });
		const list: unknown[] = [];
		list.push([list]);
		expect(facts(refusal(() => admitJson(list)))).toEqual({ code: "JSON_CYCLE", pointer: "/0/0" });
	});
});

describe("proxies", () => {
	const trap = (handler: ProxyHandler<object>, target: object = { a: 1 }) => new Proxy(target, handler);
	const boom = (): never => {
		throw new RangeError("boom");
	};

	test.each<[string, unknown]>([
		["getPrototypeOf", trap({ getPrototypeOf: boom })],
		["ownKeys", trap({ ownKeys: boom })],
		["getOwnPropertyDescriptor", trap({ getOwnPropertyDescriptor: boom })],
		["getPrototypeOf of an array", trap({ getPrototypeOf: boom }, [1])],
		["the length of an array", trap({ getOwnPropertyDescriptor: boom }, [1])],
		["the prototype's own prototype", Object.create(trap({ getPrototypeOf: boom }, {}))],
	])("what %s throws is the cause", (_, value) => {
		const error = refusal(() => admitJson({ v: [value] }));
		expect(error.code).toBe("JSON_TYPE");
		expect(error.pointer).toMatch(/^\/v\/0/);
		expect(error.cause).toBeInstanceOf(RangeError);
	});

	test("a JsonError that a trap throws is a cause as well, not a verdict", () => {
		const inner = trap({ ownKeys: () => admitJson(Number.NaN) as never });
		const error = refusal(() => admitJson([inner]));
		expect(facts(error)).toEqual({ code: "JSON_TYPE", pointer: "/0" });
		expect(error.cause).toMatchObject({ code: "JSON_NUMBER_RANGE" });
	});

	test("reads run no get trap, and each property is read once", () => {
		const reads: PropertyKey[] = [];
		const proxy = trap(
			{
				get: boom,
				has: boom,
				getOwnPropertyDescriptor(target, key) {
					reads.push(key);
					return Reflect.getOwnPropertyDescriptor(target, key);
				},
			},
			{ a: 1, b: 2 },
		);
		expect(admitJson(proxy)).toStrictEqual({ a: 1, b: 2 });
		expect(reads).toEqual(["a", "b"]);
	});

	test("an endless proxy ends at the depth limit", () => {
		const endless: object = trap({
			getOwnPropertyDescriptor: () => ({ value: make(), enumerable: true, configurable: true }),
		});
		function make(): object {
			return trap({ getOwnPropertyDescriptor: () => ({ value: make(), enumerable: true, configurable: true }) });
		}
		expect(facts(refusal(() => admitJson(endless)))).toMatchObject({ code: "JSON_LIMIT", limit: "depth" });
	});

	test("an array that grows while it is read stays what its length said", () => {
		const target = [1, 2];
		const proxy = new Proxy(target, {
			getOwnPropertyDescriptor(list, key) {
				if (key === "0") list.push(3);
				return Reflect.getOwnPropertyDescriptor(list, key);
			},
		});
		expect(admitJson(proxy)).toStrictEqual([1, 2]);
	});
});

test("whatever is admitted is equal to its JSON text, read back", () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
			const safe = JSON.stringify(value, (_, x) => (typeof x === "number" && Math.abs(x) > 2 ** 53 - 1 ? 0 : x));
			const plain = JSON.parse(safe);
			const admitted = admitJson(plain);
			expect(admitted).toStrictEqual(plain);
			expect(equalJson(parseJson(safe), admitted)).toBe(true);
		}),
		{ numRuns: 500, seed: 1 },
	);
});
