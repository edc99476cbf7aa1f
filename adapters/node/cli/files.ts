/** Why a file that the command line names can't be used. */
export type FileErrorCode = "FILE_MISSING" | "FILE_EXISTS" | "FILE_KIND" | "FILE_FORBIDDEN" | "FILE_FAILED";

const KNOWN: { readonly [errno: string]: readonly [FileErrorCode, string] } = {
	ENOENT: ["FILE_MISSING", "There is no such file or directory."],
	EEXIST: ["FILE_EXISTS", "It exists already, and nothing is ever overwritten."],
	EISDIR: ["FILE_KIND", "It is a directory, not a file."],
	ENOTDIR: ["FILE_KIND", "A part of its path is a file, not a directory."],
	EACCES: ["FILE_FORBIDDEN", "This user may not do that."],
	EPERM: ["FILE_FORBIDDEN", "This user may not do that."],
	EROFS: ["FILE_FORBIDDEN", "The file system is read-only."],
	ENOSPC: ["FILE_FAILED", "There is no space left."],
	EDQUOT: ["FILE_FAILED", "There is no space left for this user."],
};

/** A file that the command line names, or a standard stream, can't be used; `path` as it was given, the system's error as cause. */
export class FileError extends Error {
	override readonly name = "FileError";
	readonly code: FileErrorCode;
	readonly path: string;

	constructor(path: string, cause: unknown) {
		const { code: errno, message } = cause as NodeJS.ErrnoException;
		const [code, why] = KNOWN[errno ?? ""] ?? (["FILE_FAILED", message] as const);
		super(why, { cause });
		this.code = code;
		this.path = path;
	}
}
