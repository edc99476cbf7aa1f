import { Gathered, joinChunks, memoryBytes } from "./bytes.ts";
import { beyond } from "./errors.ts";
import type { ArchiveLimits, Bytes, Spool } from "./types.ts";

/** Spooled bytes, and how to give them up. */
export interface Spooled {
	readonly bytes: Bytes;
	dispose(): Promise<void>;
}

/**
 * Keeps what a stream gives so that it can be read at any place: in memory up to `spoolBytes`, beyond that in the place that
 * `makeSpool` makes. Throws `PACKAGE_ARCHIVE_LIMIT` where none is made, and whatever `chunks` or the spool throws; what was
 * written is removed then.
 */
export async function spoolAll(
	chunks: AsyncIterable<Uint8Array>,
	limits: ArchiveLimits,
	makeSpool: (() => Promise<Spool>) | undefined,
): Promise<Spooled> {
	const { spoolBytes } = limits;
	const held = new Gathered();
	let spool: Spool | undefined;
	try {
		for await (const chunk of chunks) {
			if (spool === undefined && held.size + chunk.length > spoolBytes) {
				if (makeSpool === undefined) throw noSpool(spoolBytes);
				spool = await makeSpool();
				for (const earlier of held.take()) await spool.write(earlier);
			}
			if (spool === undefined) held.add(chunk);
			else await spool.write(chunk);
		}
		if (spool === undefined) {
			const { size } = held;
			return { bytes: memoryBytes(joinChunks(held.take(), size)), dispose: () => Promise.resolve() };
		}
		const made = spool;
		return { bytes: await made.finish(), dispose: () => made.dispose() };
	} catch (error) {
		// The first fault is the one that counts.
		await spool?.dispose().catch(() => {});
		throw error;
	}
}

function noSpool(max: number): unknown {
	return beyond(
		"spoolBytes",
		max,
		`The archive has to be unpacked or kept to be read, and has more than the ${max} bytes that are kept in memory (limit "spoolBytes"); give a spool, or a larger limit.`,
	);
}
