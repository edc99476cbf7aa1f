import { generateSchemaModule, type MeteredSchemaModule, type SchemaModuleOptions } from "../../../src/schema/index.ts";

/** A generated module as a runtime loads it: from its text, as a module of its own. */
export async function load(
	schema: unknown,
	options: SchemaModuleOptions = { meter: true },
): Promise<MeteredSchemaModule> {
	const { code } = generateSchemaModule(JSON.stringify(schema), options);
	// Bun reads the other form of data URLs wrongly; a module is ASCII.
	return import(/* @vite-ignore */ `data:text/javascript;base64,${btoa(code)}`);
}

/** What `run` returns, or the code of what it throws. */
export function outcome(run: () => unknown): unknown {
	try {
		return run();
	} catch (error) {
		return (error as { code?: unknown }).code ?? error;
	}
}
