// SHA-256: the portable hash and the port's cost around the native one, each as a ratio to node:crypto. hash-wasm is a
// reference only (it is WebAssembly); WebCrypto can't stream, so it hashes whole messages one after the other.
import { createHash, webcrypto } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { createSHA256 } from "hash-wasm";
import { nodeSha256 } from "../../dist/adapters/node/sha256.js";
import { portableSha256, renderDigest } from "../../dist/src/sha256.js";
import { compareTasks } from "./measure.mjs";

/** Titles, the messages' size and number, and the size of the chunks they come in. */
const SHAPES = [
	["1 KB, 4,096 messages", 1_024, 4_096, 1_024],
	["1 MB, 16 messages", 1_048_576, 16, 1_048_576],
	["16 MB in chunks of 64 KB", 16_777_216, 1, 65_536],
];

export async function bench() {
	const wasm = await createSHA256();
	for (const [title, size, messages, chunk] of SHAPES) {
		const message = new Uint8Array(size).map((_, index) => index * 31);
		const chunks = Array.from({ length: size / chunk }, (_, index) =>
			message.subarray(index * chunk, (index + 1) * chunk),
		);
		const expected = createHash("sha256").update(message).digest("hex");
		const run = (hashMessage) => async () => {
			for (let count = 0; count < messages; count++) {
				const answer = await hashMessage();
				if (answer !== expected) throw new Error(`a wrong digest: ${answer}`);
			}
		};
		/** Feeds the chunks to a hash that is made anew for each message. */
		const through = (make, end) => () => {
			const hash = make();
			for (const part of chunks) hash.update(part);
			return end(hash);
		};
		const rendered = (hash) => renderDigest(hash).slice("sha256:".length);
		await compareTasks(
			title,
			[
				[
					"node:crypto",
					run(
						through(
							() => createHash("sha256"),
							(hash) => hash.digest("hex"),
						),
					),
				],
				["millrace nodeSha256", run(through(nodeSha256, rendered))],
				["millrace portableSha256", run(through(portableSha256, rendered))],
				[
					"@noble/hashes",
					run(
						through(
							() => sha256.create(),
							(hash) => Buffer.from(hash.digest()).toString("hex"),
						),
					),
				],
				[
					"hash-wasm (WebAssembly)",
					run(
						through(
							() => wasm.init(),
							(hash) => hash.digest("hex"),
						),
					),
				],
				[
					"crypto.subtle, whole messages",
					run(async () => Buffer.from(await webcrypto.subtle.digest("SHA-256", message)).toString("hex")),
				],
			],
			size < 2 ** 20 ? {} : { goal: 0.97 },
		);
	}
}
