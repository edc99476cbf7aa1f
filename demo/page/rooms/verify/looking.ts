import type { PackageEntry, PackageSource, ReadableStreamLike } from "millrace";
import { joined, readAll } from "../../parts/bytes.ts";
import { adviseBytes, adviseEntry, LOOKED_AT_BYTES } from "./advise.ts";
import type { NoticeBook } from "./notice-book.ts";

/** Milliseconds of reading before the page gets a turn: what somebody presses or types waits no longer. */
const TURN = 50;

const SCHEMA = /^(?:input|settings|result)\.schema\.json$/;

/** A source that looks at the beginning of every file that is read through it. */
export class Looking implements PackageSource {
	/** The files as they were listed last. */
	entries: readonly PackageEntry[] = [];
	/** The bytes of the conventional schemas, as far as they were looked at. */
	readonly schemas: Map<string, Uint8Array> = new Map();
	readonly #source: PackageSource;
	readonly #book: NoticeBook;
	readonly #seen: Set<string> = new Set();
	#turned: number = performance.now();

	constructor(source: PackageSource, book: NoticeBook) {
		this.#source = source;
		this.#book = book;
	}

	async list(): Promise<readonly PackageEntry[]> {
		this.entries = await this.#source.list();
		return this.entries;
	}

	async open(path: string): Promise<ReadableStreamLike<Uint8Array>> {
		const stream = await this.#source.open(path);
		const first = !this.#seen.has(path);
		this.#seen.add(path);
		const reader = stream.getReader();
		const kept: Uint8Array[] = [];
		let size = 0;
		let length = 0;
		return {
			getReader: () => ({
				read: async () => {
					const next = await reader.read();
					if (performance.now() - this.#turned > TURN) await this.#turn();
					if (next.done) {
						if (first) this.#look(path, size, joined(kept, length));
					} else if (first) {
						size += next.value.length;
						if (length < LOOKED_AT_BYTES) {
							// The chunk may be a view of a buffer that is used again.
							const part = next.value.slice(0, LOOKED_AT_BYTES - length);
							kept.push(part);
							length += part.length;
						}
					}
					return next;
				},
				cancel: (reason) => reader.cancel(reason),
				releaseLock: () => reader.releaseLock(),
			}),
		};
	}

	/** What has arrived already is read without a pause, for as long as it lasts: a browser would show nothing meanwhile. */
	async #turn(): Promise<void> {
		await new Promise((resolve) => setTimeout(resolve));
		this.#turned = performance.now();
	}

	#look(path: string, size: number, bytes: Uint8Array): void {
		if (SCHEMA.test(path)) this.schemas.set(path, bytes);
		this.#book.add(adviseEntry(path, size));
		this.#book.add(adviseBytes(path, bytes));
	}
}

/** The bytes of one file of a source that was listed. */
export async function readFile(source: PackageSource, path: string): Promise<Uint8Array> {
	return readAll(await source.open(path));
}
