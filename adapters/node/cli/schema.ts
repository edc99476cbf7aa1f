import { rm, writeFile } from "node:fs/promises";
import { escapeForDisplay } from "../../../src/display.ts";
import { generateSchemaModule, SCHEMA_LIMITS } from "../../../src/schema/index.ts";
import { FileError } from "./files.ts";
import { readWith } from "./input.ts";
import { count, type Output, write } from "./output.ts";
import { UsageError } from "./usage.ts";

export interface SchemaCompileOptions {
	/** The module's file, `.mjs` or `.js`; its declarations go beside it. `-` is standard output. */
	readonly output: string;
	readonly meter?: boolean;
	readonly force?: boolean;
}

/** `millrace schema compile FILE -o out.mjs`: a Schema/1 file as a standalone ES module, with its declarations for TypeScript. */
export async function schemaCompileCommand(
	schemaFile: string,
	options: SchemaCompileOptions,
	output: Output,
): Promise<void> {
	const typesFile = options.output === "-" ? undefined : declarationsOf(options.output);
	const meter = options.meter === true;
	const { code, types } = await readWith(schemaFile, SCHEMA_LIMITS.bytes, (file) =>
		generateSchemaModule(file, { meter }),
	);
	const exported = meter ? ["accepts", "evaluate"] : ["accepts"];
	if (typesFile === undefined) {
		if (output.json) await output.answer("", { status: "succeeded", exports: exported, code, types });
		else await write(process.stdout, code);
		return;
	}
	const files = [
		[options.output, code],
		[typesFile, types],
	] as const;
	await writeAll(files, options.force === true);
	output.note("module", `${escapeForDisplay(options.output)}, ${count(code.length, "byte")}: ${exported.join(", ")}`);
	output.note("types", escapeForDisplay(typesFile));
	await output.answer("", { status: "succeeded", path: options.output, types: typesFile, exports: exported });
}

/** Where TypeScript looks for the declarations of a module. */
function declarationsOf(path: string): string {
	const match = /^(.+)\.(m?)js$/s.exec(path);
	if (match === null) throw new UsageError(`"${path}" names no module; end it in .mjs or .js, or write - for stdout`);
	return `${match[1]}.d.${match[2]}ts`;
}

/** Writes both files; where one may not be overwritten, neither is left. */
async function writeAll(files: readonly (readonly [path: string, text: string])[], force: boolean): Promise<void> {
	const made: string[] = [];
	for (const [path, text] of files) {
		try {
			await writeFile(path, text, { flag: force ? "w" : "wx" });
		} catch (error) {
			if (!force) for (const each of made) await rm(each, { force: true });
			throw new FileError(path, error);
		}
		made.push(path);
	}
}
