import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameReader, RUN_LIMITS } from "../../src/run/index.ts";
import { vectors } from "../house/vectors.ts";
import { bytes, Component } from "./harness.ts";

function split(chunks: readonly Uint8Array[]): { frames: string[]; rest: number; oversized: boolean } {
	const reader = new FrameReader();
	const frames: string[] = [];
	for (const chunk of chunks) {
		reader.push(chunk);
		for (let next = reader.next(); next !== undefined; next = reader.next())
			frames.push(Buffer.from(next).toString("latin1"));
	}
	return { frames, rest: reader.buffered, oversized: reader.oversized };
}

function cut(stream: Uint8Array, places: readonly number[]): Uint8Array[] {
	const ends = [...new Set(places.map((place) => place % (stream.length + 1)))].sort((a, b) => a - b);
	const chunks: Uint8Array[] = [];
	let from = 0;
	for (const end of [...ends, stream.length]) {
		chunks.push(stream.subarray(from, end));
		from = end;
	}
	return chunks;
}

describe("Run/1 section 1: framing", () => {
	it("ends a frame at LF, which is not part of it; an empty line is an empty frame", () => {
		expect(split([bytes("{}\n\nabc")])).toEqual({ frames: ["{}", ""], rest: 3, oversized: false });
	});

	it("gives the same frames whatever the chunks, also for pieces around the copying threshold", () => {
		const piece = fc.oneof(
			fc.uint8Array({ maxLength: 40 }),
			fc.integer({ min: 4_000, max: 70_000 }).map((length) => new Uint8Array(length).fill(97)),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), (pieces, places) => {
				const stream = Buffer.concat(pieces.flatMap((one) => [one, Buffer.from("\n")]));
				const whole = split([stream]);
				expect(split(cut(stream, places))).toEqual(whole);
			}),
			{ numRuns: 150 },
		);
	});

	it("is linear over single bytes: 2 MB in single bytes is one frame", () => {
		const reader = new FrameReader();
		const one = bytes("a");
		for (let i = 0; i < 2_000_000; i++) {
			reader.push(one);
			if (reader.next() !== undefined) throw new Error("no frame yet");
		}
		reader.push(bytes("\n"));
		expect(reader.next()?.length).toBe(2_000_000);
		expect(reader.buffered).toBe(0);
	});

	it("holds many single-byte frames of one big chunk without quadratic work", () => {
		const stream = new Uint8Array(1_000_000);
		for (let i = 0; i < stream.length; i++) stream[i] = i % 2 === 0 ? 0x61 : 0x0a;
		const reader = new FrameReader();
		reader.push(stream);
		let count = 0;
		while (reader.next() !== undefined) count += 1;
		expect(count).toBe(500_000);
	});

	it.each([
		["in one chunk", 1],
		["in 64 KiB chunks", 256],
	])("takes 16,777,216 bytes before LF and refuses one more, %s", (_, parts) => {
		const size = RUN_LIMITS.frameBytes;
		const chunks = Array.from({ length: parts }, () => new Uint8Array(size / parts).fill(0x61));
		expect(split([...chunks, bytes("\n")]).frames[0]?.length).toBe(size);
		const over = split([...chunks, bytes("a"), bytes("\n{}\n")]);
		expect(over).toEqual({ frames: [], rest: 0, oversized: true });
	});

	it("refuses an oversized frame before its LF comes, with the frames before it delivered", () => {
		const chunk = new Uint8Array(RUN_LIMITS.frameBytes + 4).fill(0x61);
		chunk.set([0x7b, 0x7d, 0x0a]);
		expect(split([chunk])).toEqual({ frames: ["{}"], rest: 0, oversized: true });
	});
});

interface FramingVectors {
	readonly valid: readonly { readonly name: string; readonly hex: string }[];
	readonly invalid: readonly { readonly name: string; readonly hex: string }[];
}

const framing = vectors("run-1/framing.json") as FramingVectors | undefined;

describe.skipIf(framing === undefined)("the standard's framing vectors", () => {
	/** Answers: the code of the best-effort frame, or undefined for silence. */
	function feed(hex: string): { fatal: boolean; answer: unknown } {
		const component = new Component();
		component.session.receive(new Uint8Array(Buffer.from(hex, "hex")));

		const frames = component.flush();
		const framed = component.events.some((event) => event.type === "fatal");
		if (!framed) component.session.inputEnded();
		const fatal = component.events.find((event) => event.type === "fatal");
		return {
			fatal: fatal?.type === "fatal" && fatal.code === "PROTOCOL_ERROR",
			answer: (frames[0]?.error as { code?: number })?.code,
		};
	}

	const ANSWERS: Record<string, number | undefined> = {
		"empty-frame": -32700,
		"utf8-bom": -32700,
		"invalid-utf8": undefined,
		"duplicate-member": -32700,
		"escaped-lone-surrogate": -32700,
		"unsafe-integral-token": -32700,
		"eof-before-line-feed": undefined,
		"two-values-one-frame": -32700,
	};

	it.each(framing?.invalid ?? [])("refuses $name with PROTOCOL_ERROR", ({ name, hex }) => {
		expect(feed(hex)).toEqual({ fatal: true, answer: ANSWERS[name] });
	});

	it.each(framing?.valid ?? [])("reads $name as a frame (which is no JSON-RPC envelope)", ({ hex }) => {
		expect(feed(hex)).toEqual({ fatal: true, answer: -32600 });
	});
});
