import fc from "fast-check";
import { expect, test } from "vitest";
import { TailBuffer } from "../../src/host/tail.ts";

test("any chunking keeps the same tail, in bounded memory", () => {
	fc.assert(
		fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 0, max: 50 }), (chunks, keep) => {
			const tail = new TailBuffer(keep);
			for (const chunk of chunks) tail.push(chunk);
			const all = Buffer.concat(chunks);
			let end = all.subarray(Math.max(0, all.length - keep));
			const truncated = all.length > end.length;
			for (let skipped = 0; truncated && skipped < 4 && end.length > 0 && (end[0]! & 0xc0) === 0x80; skipped += 1) {
				end = end.subarray(1);
			}
			const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(end);
			expect(tail.read()).toEqual({ text, bytes: all.length, truncated });
		}),
	);
});

test("a character cut by the bound is left out", () => {
	const tail = new TailBuffer(4);
	tail.push(new TextEncoder().encode("ab\u{1f600}c"));
	expect(tail.read()).toEqual({ text: "c", bytes: 7, truncated: true });
});

test("a reused buffer changes nothing that was kept", () => {
	for (const buffer of [new Uint8Array([97, 98]), Buffer.from("ab")]) {
		const tail = new TailBuffer(10);
		tail.push(buffer);
		buffer.fill(120);
		expect(tail.read().text).toBe("ab");
	}
});
