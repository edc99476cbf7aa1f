import { parseJson } from "../../../src/json/index.ts";
import { compileSchema, SCHEMA_LIMITS } from "../../../src/schema/index.ts";
import { showDiagnostic } from "./failure.ts";
import { readBytes } from "./input.ts";
import { count, type Output, paint } from "./output.ts";
import { UsageError } from "./usage.ts";

/** `millrace validate SCHEMA INSTANCE`: the verdict of a Schema/1 file on a value, and what the evaluation cost. */
export async function validateCommand(
	schemaFile: string,
	instanceFile: string,
	options: { all?: boolean; profile?: boolean },
	output: Output,
): Promise<boolean> {
	if (schemaFile === "-" && instanceFile === "-") throw new UsageError("only one of SCHEMA and INSTANCE can be -");
	const schema = compileSchema(await readBytes(schemaFile, SCHEMA_LIMITS.bytes));
	const instance = parseJson(await readBytes(instanceFile));
	const verdict = schema.evaluate(instance, { all: options.all === true, profile: options.profile === true });
	output.note("schema", `${count(schema.nodes, "node")}, depth ${schema.depth}`);
	output.note("work", `${count(verdict.work, "unit")} of ${SCHEMA_LIMITS.work.toLocaleString("en-US")}`);
	if (verdict.profile !== undefined)
		for (const [keyword, units] of Object.entries(verdict.profile).sort(([, a], [, b]) => b - a))
			output.note("", `${String(units).padStart(9)}  ${keyword}`);
	const lines = verdict.valid
		? [paint.green("valid")]
		: [paint.red("invalid"), ...verdict.diagnostics.map((each) => `  ${showDiagnostic(each)}`)];
	await output.answer(lines.join("\n"), {
		status: verdict.valid ? "succeeded" : "failed",
		...(verdict.valid ? {} : { code: verdict.diagnostics[0]?.code, message: "the schema rejects the value" }),
		...verdict,
	});
	return verdict.valid;
}
