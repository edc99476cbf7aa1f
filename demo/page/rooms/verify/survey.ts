/** Everything else that is wrong with a package that was refused: the library stops at the first, a person wants to mend all. */
import {
	checkPath,
	compileSchema,
	type MetadataReference,
	type PackageEntry,
	PackageError,
	type PackageErrorCode,
	parseCapabilityContract,
	parseChannelContract,
	parseFlowMd,
	pathCollisionKey,
} from "millrace";

/** Refusals that are told at most. */
const REFUSALS = 100;

/** Bytes of a schema or contract that is looked into. */
const LOOKED_INTO = 1_048_576;

/** Every path that no package may have, and every one that collides with another. */
export function surveyPaths(entries: readonly PackageEntry[]): PackageError[] {
	const found: PackageError[] = [];
	const seen = new Map<string, string>();
	for (const { path } of entries) {
		if (found.length === REFUSALS) break;
		const fault = attempt("PACKAGE_PATH_INVALID", path, () => checkPath(path));
		if (fault !== undefined) {
			found.push(fault);
			continue;
		}
		const key = pathCollisionKey(path);
		const otherPath = seen.get(key);
		if (otherPath === undefined) seen.set(key, path);
		else {
			const message = `This path and “${otherPath}” are one file where case makes no difference.`;
			found.push(new PackageError("PACKAGE_PATH_COLLISION", message, { path, otherPath }));
		}
	}
	return found;
}

/** Each of FLOW.md, the conventional schemas and the contracts that is wrong, whatever the others are. `read` gives a file's bytes. */
export async function surveyContents(
	entries: readonly PackageEntry[],
	read: (path: string) => Promise<Uint8Array>,
): Promise<PackageError[]> {
	const files = new Map(entries.map((entry) => [entry.path, entry]));
	const found: PackageError[] = [];
	const look = async (code: PackageErrorCode, path: string, parse: (bytes: Uint8Array) => unknown): Promise<void> => {
		const entry = files.get(path);
		if (entry === undefined || entry.size > LOOKED_INTO) return;
		const bytes = await read(path);
		const fault = attempt(code, path, () => parse(bytes));
		if (fault !== undefined) found.push(fault);
	};
	let references: readonly MetadataReference[] = [];
	await look("PACKAGE_METADATA_INVALID", "FLOW.md", (bytes) => {
		({ references } = parseFlowMd(bytes));
	});
	for (const name of ["input", "settings", "result"])
		await look("PACKAGE_SCHEMA_INVALID", `${name}.schema.json`, compileSchema);
	for (const { kind, path, pointer, line, column } of references) {
		if (!files.has(path)) {
			const place = { path: "FLOW.md", pointer, line, column };
			found.push(new PackageError("PACKAGE_REFERENCE_MISSING", `The package has no file “${path}”.`, place));
		}
		await look(
			"PACKAGE_CONTRACT_INVALID",
			path,
			kind === "capability" ? parseCapabilityContract : (bytes) => parseChannelContract(bytes),
		);
	}
	return found.slice(0, REFUSALS);
}

/** What `parse` throws, as the package's error at this path; a `PackageError` as it is. */
function attempt(code: PackageErrorCode, path: string, parse: () => unknown): PackageError | undefined {
	try {
		parse();
		return undefined;
	} catch (error) {
		if (error instanceof PackageError) return error;
		const { message, pointer, schemaPointer } = error as Error & { pointer?: string; schemaPointer?: string };
		const at = pointer ?? schemaPointer;
		return new PackageError(code, message, { path, cause: error, ...(at === undefined ? {} : { pointer: at }) });
	}
}
