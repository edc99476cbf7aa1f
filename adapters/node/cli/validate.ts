import { compileSchema, SCHEMA_LIMITS } from "../../../src/schema/index.ts";
import { within } from "./failure.ts";
import { readJson, readWith } from "./input.ts";
import { count, grouped, type Output, paintAnswer } from "./output.ts";
import { showDiagnostic } from "./show-failure.ts";
import { UsageError } from "./usage.ts";

/** `millrace validate SCHEMA INSTANCE`: the verdict of a Schema/1 file on a value, and what the evaluation cost. */
export async function validateCommand(
	schemaFile: string,
	instanceFile: string,
	options: { readonly all?: boolean; readonly profile?: boolean },
	output: Output,
): Promise<boolean> {
	if (schemaFile === "-" && instanceFile === "-") throw new UsageError("only one of SCHEMA and INSTANCE can be -");
	const schema = await readWith(schemaFile, SCHEMA_LIMITS.bytes, compileSchema);
	const instance = await readJson(instanceFile);
	const verdict = await within(instanceFile, () =>
		schema.evaluate(instance, { all: options.all === true, profile: options.profile === true }),
	);
	output.note("schema", `${count(schema.nodes, "node")}, depth ${schema.depth}`);
	output.note("work", `${count(verdict.work, "unit")} of ${grouped(SCHEMA_LIMITS.work)}`);
	for (const [keyword, units] of Object.entries(verdict.profile ?? {}).sort(([, a], [, b]) => b - a))
		output.note("", `${grouped(units).padStart(9)}  ${keyword}`);
	const lines = verdict.valid
		? [paintAnswer.green("valid")]
		: [paintAnswer.red("invalid"), ...verdict.diagnostics.map((each) => `  ${showDiagnostic(each, paintAnswer.dim)}`)];
	await output.answer(lines.join("\n"), {
		...(verdict.valid
			? { status: "succeeded" }
			: { status: "failed", code: "INVALID_INPUT", message: "The schema refuses the value." }),
		...verdict,
	});
	return verdict.valid;
}
