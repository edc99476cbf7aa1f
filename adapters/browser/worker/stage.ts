import { HostError, type StagedPackage, type StageOptions } from "../../../src/host/index.ts";
import { digestPackage, memorySource, PackageError, type PackageSource } from "../../../src/package/index.ts";
import { joinChunks } from "../../archive/bytes.ts";

/** A package that lies in the page's memory: the bytes that were hashed, and nobody else's to change. */
export interface MemoryStage extends StagedPackage {
	readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * Copies a package into memory, of at most `stageBytes` bytes. Rejects with `PackageError` (the source's fault, or
 * `PACKAGE_CAPACITY`), with the signal's reason, with `TypeError` for what is no source, and with `HostError`
 * `PACKAGE_STAGE_FAILED` for anything else.
 */
export async function stageInMemory(
	source: unknown,
	{ signal, onProgress }: StageOptions,
	stageBytes: number,
): Promise<MemoryStage> {
	const { list, open } = (source ?? {}) as Partial<PackageSource>;
	if (typeof list !== "function" || typeof open !== "function") {
		throw new TypeError("A package source in a page is an object with list() and open().");
	}
	const files = new Map<string, Uint8Array>();
	try {
		await digestPackage(new Keeping(source as PackageSource, files, stageBytes), {
			...(signal === undefined ? {} : { signal }),
			...(onProgress === undefined ? {} : { onProgress }),
		});
	} catch (error) {
		if (signal?.aborted) throw signal.reason;
		if (error instanceof PackageError || error instanceof HostError) throw error;
		throw new HostError("The package could not be copied.", {
			code: "PACKAGE_STAGE_FAILED",
			phase: "package",
			cause: error,
		});
	}
	return {
		source: memorySource(files),
		root: "package",
		files,
		dispose() {
			files.clear();
			return Promise.resolve();
		},
	};
}

/** A source that keeps what is read through it. */
class Keeping implements PackageSource {
	readonly #source: PackageSource;
	readonly #files: Map<string, Uint8Array>;
	readonly #capacity: number;

	constructor(source: PackageSource, files: Map<string, Uint8Array>, capacity: number) {
		this.#source = source;
		this.#files = files;
		this.#capacity = capacity;
	}

	async list(): ReturnType<PackageSource["list"]> {
		const entries = await this.#source.list();
		let bytes = 0;
		for (const { size } of entries) bytes += size;
		if (bytes > this.#capacity) {
			throw new PackageError(
				"PACKAGE_CAPACITY",
				`The package has ${bytes} bytes, more than the ${this.#capacity} that this page keeps in memory to run it.`,
				{ limit: { name: "stageBytes", max: this.#capacity } },
			);
		}
		return entries;
	}

	async open(path: string): Promise<Awaited<ReturnType<PackageSource["open"]>>> {
		const reader = (await this.#source.open(path)).getReader();
		const kept: Uint8Array[] = [];
		let size = 0;
		return {
			getReader: () => ({
				read: async () => {
					const next = await reader.read();
					if (next.done) {
						this.#files.set(path, joinChunks(kept, size));
						return next;
					}
					// A copy: the source may use its buffer again.
					kept.push(new Uint8Array(next.value));
					size += next.value.length;
					return next;
				},
				cancel: (reason) => reader.cancel(reason),
				releaseLock: () => reader.releaseLock(),
			}),
		};
	}
}
