import { type ArchiveOptions, type ArchiveSource, archiveSource } from "../archive/index.ts";
import { pageSpool } from "./spool.ts";

/**
 * The package in a `.tar`, `.tar.gz` (`.tgz`) or `.zip` archive, told apart by its bytes: a `File` that was dropped or picked,
 * any `Blob`, a stream, or the `Response` of a `fetch`. A Blob is read in place, whatever its size; what has to be unpacked or
 * comes only once is kept in memory up to `limits.spoolBytes`, then in the origin's private file system or in Blobs, until
 * `dispose()`.
 *
 * Throws `TypeError` for a response without a body, for one that failed (its status is named), for an input of another kind and
 * for a prefix that names no directory. Whatever is wrong with the archive is a `PackageError` when the source is listed or read,
 * the same in every runtime: {@link ArchiveSource} says which.
 */
export function archive(
	input: Blob | ReadableStream<Uint8Array> | Response,
	options: ArchiveOptions = {},
): ArchiveSource {
	return archiveSource(input instanceof Response ? bodyOf(input) : input, { spool: pageSpool, ...options });
}

function bodyOf({ ok, status, url, body }: Response): ReadableStream<Uint8Array> {
	if (!ok) throw new TypeError(`${url || "The response"} has status ${status}: there is no archive in it.`);
	if (body === null) throw new TypeError(`${url || "The response"} has no body.`);
	return body;
}
