/** Channel Contract/1 section 3: when the item schemas of two ports fit. */

import { CompiledSchema, type Schema } from "./schema.ts";

/** Whether an item schema is generic: omitted or exactly `true`. `{}` isn't, though it accepts as much. */
export function isTrivialSchema(schema: Schema | undefined): boolean {
	return schema === undefined || (schema instanceof CompiledSchema && schema.content === "true");
}

/**
 * Whether two schemas have equal canonical content: equal RFC 8785 text of the schema, annotations included, and of every
 * definition it leads to, by name. So a schema with `$defs` of its own equals the same schema over a descriptor's, and a
 * reference never equals a reference to something else of the same name.
 */
export function equalSchemas(a: Schema, b: Schema): boolean {
	return a instanceof CompiledSchema && b instanceof CompiledSchema && a.content === b.content;
}

/** Whether two ports' item schemas fit: one of them is generic, or their content is equal. No subtyping is inferred. */
export function matchItemSchemas(a: Schema | undefined, b: Schema | undefined): boolean {
	return isTrivialSchema(a) || isTrivialSchema(b) || equalSchemas(a!, b!);
}
