import type { PackageEntry, PackageSource } from "../../src/package/index.ts";
import type { ReadableStreamLike } from "../../src/web.ts";
import type { Files } from "./independent.ts";

export const MINIMAL = "---\nname: x\ndescription: x\n---\n";

export const bytesOf = (content: string | Uint8Array): Uint8Array =>
	typeof content === "string" ? new TextEncoder().encode(content) : content;

/** The constructor of some Web Streams implementation, native or foreign. */
export type StreamClass = new (
	source: UnderlyingDefaultSource<Uint8Array>,
	strategy?: QueuingStrategy<Uint8Array>,
) => ReadableStreamLike<Uint8Array>;

export const NativeStream = ReadableStream as unknown as StreamClass;

/** What a test watches of a source: which files were opened, which streams were cancelled or are still locked. */
export interface Watched {
	readonly opened: string[];
	readonly cancelled: string[];
}

/** A source over real Web Streams, each file cut into the chunks that `cut` says. */
export function streamSource(
	files: Files,
	{
		Stream = NativeStream,
		cut = (bytes) => [bytes],
		order = (entries) => entries,
		sizes = {},
	}: {
		Stream?: StreamClass;
		cut?: (bytes: Uint8Array, path: string) => Iterable<Uint8Array>;
		order?: (entries: PackageEntry[]) => PackageEntry[];
		/** Sizes to claim instead of the real ones. */
		sizes?: Readonly<Record<string, number>>;
	} = {},
): PackageSource & Watched {
	const opened: string[] = [];
	const cancelled: string[] = [];
	return {
		opened,
		cancelled,
		async list() {
			return order(
				Object.entries(files).map(([path, content]) => ({ path, size: sizes[path] ?? bytesOf(content).length })),
			);
		},
		open(path) {
			opened.push(path);
			const chunks = cut(bytesOf(files[path]!), path)[Symbol.iterator]();
			// Nothing is read ahead, so that one buffer may serve all chunks.
			return new Stream(
				{
					pull(controller) {
						const { done, value } = chunks.next();
						if (done) controller.close();
						else controller.enqueue(value);
					},
					cancel() {
						cancelled.push(path);
					},
				},
				{ highWaterMark: 0 },
			);
		},
	};
}

/** A source of files whose contents are never asked for: sizes that no test could hold. */
export function declaredSource(entries: readonly PackageEntry[]): PackageSource {
	return {
		list: async () => entries,
		open: (path) => {
			throw new Error(`${path} was opened`);
		},
	};
}
