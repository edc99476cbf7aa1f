import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { escapeForDisplay } from "../../../src/display.ts";
import { isLocalName } from "../../../src/grammar/index.ts";
import { FileError } from "./files.ts";
import { count, type Output } from "./output.ts";
import { UsageError } from "./usage.ts";

/** `millrace new NAME`: a new directory with a small package that runs, checks its input and declares its result. */
export async function newCommand(target: string, output: Output): Promise<void> {
	const name = basename(target);
	if (!isLocalName(name))
		throw new UsageError(`"${name}" can't name a package: use 1 to 64 of a-z and 0-9, with single hyphens between`);
	const files = starter(name);
	await make(target, files);
	const shown = escapeForDisplay(target);
	output.note("created", `${shown} with ${count(Object.keys(files).length, "file")}`);
	output.note("run it", `npx millrace run ${/^[\w./-]+$/.test(shown) ? shown : `'${shown}'`} --input '{"name":"Ada"}'`);
	await output.answer("", { status: "succeeded", path: target, files: Object.keys(files) });
}

/** Makes the directory with all of its files, or leaves nothing. */
async function make(target: string, files: Readonly<Record<string, string>>): Promise<void> {
	let path = target;
	try {
		await mkdir(target);
		try {
			for (const [name, text] of Object.entries(files)) {
				path = join(target, name);
				await writeFile(path, text, { flag: "wx" });
			}
		} catch (error) {
			await rm(target, { recursive: true, force: true });
			throw error;
		}
	} catch (error) {
		// Where the directory itself can't be made, what is missing is the one that should hold it.
		const missing = path === target && (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new FileError(missing ? dirname(path) : path, error);
	}
}

function starter(name: string): Record<string, string> {
	return {
		"FLOW.md": `---
name: ${/^[0-9]|^(?:true|false|null)$/.test(name) ? `"${name}"` : name}
description: Greets a person by name.
---

# ${name}

Takes \`{"name": string}\` and ends as \`done\` with \`{"greeting": string}\`.
`,
		"flow.ts": `import { handle } from "@jigging/flow";

await handle(async (run) => {
	const { name } = run.input as { name: string };
	console.log("greeting", name); // diagnostics go to stderr
	return { outcome: "done", output: { greeting: \`Hello, \${name}!\` } };
});
`,
		"input.schema.json": schema({
			type: "object",
			properties: { name: { type: "string", minLength: 1, maxLength: 200 } },
			required: ["name"],
			additionalProperties: false,
		}),
		"result.schema.json": schema({
			type: "object",
			properties: {
				outcome: { const: "done" },
				output: {
					type: "object",
					properties: { greeting: { type: "string" } },
					required: ["greeting"],
					additionalProperties: false,
				},
			},
			required: ["outcome", "output"],
			additionalProperties: false,
		}),
	};
}

function schema(body: Record<string, unknown>): string {
	return `${JSON.stringify({ $schema: "https://flow.jig.md/schemas/schema-1.json", ...body }, undefined, "\t")}\n`;
}
