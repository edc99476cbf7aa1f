import { unsupported } from "../errors.ts";
import type { Members } from "../members.ts";
import type { ArchiveLimits, Bytes } from "../types.ts";

export async function walkZip(
	_bytes: Bytes,
	_members: Members,
	_limits: ArchiveLimits,
	_tick: (at: number) => void,
): Promise<void> {
	throw unsupported("Zip archives can't be read yet.");
}
