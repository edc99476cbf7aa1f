/** Pointers to places in a text, and the state to a link and back. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexOfByte, rangesOf } from "../../demo/page/parts/ranges.ts";
import { packState, unpackState } from "../../demo/page/rooms/playground/link.ts";
import { formatPointer, type JsonValue, resolvePointer } from "../../src/json/index.ts";

/** Every pointer into a value. */
function* pointersOf(value: JsonValue, tokens: readonly (string | number)[] = []): Generator<string> {
	yield formatPointer(tokens);
	if (typeof value !== "object" || value === null) return;
	for (const [name, inner] of Object.entries(value)) yield* pointersOf(inner as JsonValue, [...tokens, name]);
}

describe("rangesOf", () => {
	it("finds each value where it stands, whatever the text looks like", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
				const text = ` ${JSON.stringify(value, null, indent)}\n`;
				const parsed = JSON.parse(text) as JsonValue;
				const pointers = new Set(pointersOf(parsed));
				const ranges = rangesOf(text, pointers);
				expect(ranges.size).toBe(pointers.size);
				for (const [pointer, { from, to }] of ranges) {
					expect(JSON.parse(text.slice(from, to))).toEqual(resolvePointer(parsed, pointer));
				}
			}),
		);
	});

	it("reads escapes in names, and pointers that lead nowhere have no place", () => {
		const text = '{"a\\u002fb": [1, {"~": "x"}], "": null}';
		const at = (pointer: string): string | undefined => {
			const range = rangesOf(text, new Set([pointer])).get(pointer);
			return range && text.slice(range.from, range.to);
		};
		expect(at("/a~1b/1/~0")).toBe('"x"');
		expect(at("/")).toBe("null");
		expect(at("/a~1b/2")).toBeUndefined();
		expect(at("/nowhere")).toBeUndefined();
	});

	it("is not stopped by depth", () => {
		const text = "[".repeat(100_000) + "]".repeat(100_000);
		expect(rangesOf(text, new Set([""])).get("")).toEqual({ from: 0, to: text.length });
	});
});

it("a byte offset is found in a text of any letters", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, choice) => {
			const letters = Array.from(text);
			const before = letters.slice(0, choice % (letters.length + 1)).join("");
			expect(indexOfByte(text, new TextEncoder().encode(before).length)).toBe(before.length);
		}),
	);
});

describe("a link", () => {
	it("keeps every text as it is", async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: "binary" }), fc.string(), async (source, instance) => {
				const state = { mode: "schema", source, instance, pick: "x" } as const;
				expect(await unpackState((await packState(state)) ?? "")).toEqual(state);
			}),
			{ numRuns: 50 },
		);
	});

	it("that is too long is none", async () => {
		let noise = "";
		for (let seed = 1; noise.length < 200_000; seed = (seed * 48_271) % 2_147_483_647) noise += seed.toString(36);
		expect(await packState({ mode: "schema", source: noise, instance: "", pick: "" })).toBeUndefined();
	});

	it.each(["", "x", "!!!", "a".repeat(100), "AAAA", "%00"])("that can't be read is none: %s", async (link) => {
		expect(await unpackState(link)).toBeUndefined();
	});

	it("that unpacks to more than it may is none", async () => {
		const bytes = new TextEncoder().encode(JSON.stringify([1, "schema", "x".repeat(8_000_000), "", ""]));
		const packed = await new Response(
			new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")),
		).arrayBuffer();
		expect(await unpackState(Buffer.from(packed).toString("base64url"))).toBeUndefined();
	});
});
