/** Archives that were damaged at random: read as they are or refused with a typed error, never anything else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeArchiveSource } from "../../adapters/archive/source.ts";
import { zlibInflate } from "../../adapters/node/archive/inflate.ts";
import { PackageError } from "../../src/package/index.ts";
import { packed, samples } from "./samples.ts";
import { contents, FLOW_MD, globalPax, pax, paxRecord, tar, tarFile, tarMember } from "./support.ts";

const bytesOf = (name: string): Uint8Array => samples.find(([each]) => each === name)![1];

const rich = tar(
	globalPax(paxRecord("comment", "c")),
	pax(paxRecord("path", `${"p/".repeat(60)}x`), paxRecord("mtime", "1.5")),
	tarFile("FLOW.md", FLOW_MD),
	tarMember({ name: "././@LongLink", type: "L", magic: "ustar  \0" }, `${"l/".repeat(60)}y\0`),
	tarMember({ name: "short", magic: "ustar  \0" }, "long"),
	tarMember({ name: "d/", type: "5" }),
	tarFile("f", "content"),
	tarMember({ name: "link", type: "1", linkName: "f" }),
);

/** One way to damage bytes, at a place that is a share of them. */
const damage = fc.record({
	how: fc.constantFrom("flip", "set", "cut", "drop", "repeat"),
	at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
	value: fc.nat({ max: 255 }),
	length: fc.nat({ max: 600 }),
});

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(bytes: Uint8Array, { how, at, value, length }: Damage): Uint8Array {
	const place = Math.floor(at * bytes.length);
	if (how === "cut") return bytes.slice(0, place);
	if (how === "drop") return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + length)]);
	if (how === "repeat") return Buffer.concat([bytes.subarray(0, place + length), bytes.subarray(place)]);
	const copy = bytes.slice();
	copy[place] = how === "set" ? value : copy[place]! ^ (1 << (value & 7));
	return copy;
}

async function answer(bytes: Uint8Array): Promise<Record<string, string> | PackageError> {
	const source = makeArchiveSource(async () => new Blob([new Uint8Array(bytes)]), {}, zlibInflate);
	try {
		return await contents(source);
	} catch (error) {
		if (error instanceof PackageError) return error;
		throw error;
	} finally {
		await source.dispose();
	}
}

describe("damaged at random", () => {
	test.each<[string, Uint8Array, "as it was" | "any"]>([
		["a tar", rich, "any"],
		["a tar.gz", packed, "as it was"],
		["a zip", bytesOf("zip"), "as it was"],
		["a streamed zip", bytesOf("a streamed zip"), "as it was"],
	])("%s", { timeout: 120_000 }, async (_, bytes, content) => {
		const whole = await answer(bytes);
		expect(whole).not.toBeInstanceOf(PackageError);
		await fc.assert(
			fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
				const found = await answer(damages.reduce(damaged, bytes));
				if (found instanceof PackageError || content === "any") return;
				// Checksums are over contents; names of a zip have none, but stand there twice.
				expect(Object.values(found).sort()).toEqual(Object.values(whole).sort());
			}),
			{ numRuns: 1_500 },
		);
	});
});
