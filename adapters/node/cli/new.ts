import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isLocalName } from "../../../src/grammar/index.ts";
import { count, type Output } from "./output.ts";
import { UsageError } from "./usage.ts";

/** `millrace new NAME`: a new directory with the smallest package that runs, checks its input and declares its result. */
export async function newCommand(target: string, output: Output): Promise<void> {
	const name = basename(target);
	if (!isLocalName(name))
		throw new UsageError(`"${name}" can't name a package: use 1 to 64 of a-z and 0-9, with single hyphens between`);
	await mkdir(target);
	const files = starter(name);
	try {
		for (const [path, text] of Object.entries(files)) await writeFile(join(target, path), text, { flag: "wx" });
	} catch (error) {
		await rm(target, { recursive: true, force: true });
		throw error;
	}
	output.note("created", `${target} with ${count(Object.keys(files).length, "file")}`);
	output.note("run it", `millrace run ${target} --input '{"name":"Ada"}'`);
	await output.answer("", { status: "succeeded", path: target, files: Object.keys(files) });
}

function starter(name: string): Record<string, string> {
	return {
		"FLOW.md": `---
name: ${name}
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
