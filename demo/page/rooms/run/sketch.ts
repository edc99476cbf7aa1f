/** A value to start typing from, drawn after a schema: what is required, as plain as can be. It need not fit. */
import type { JsonValue } from "millrace";
import { isFields } from "./trace/fields.ts";

/** Levels that are drawn. */
const DEPTH = 6;

/** The text of a schema file, or undefined for none. */
export function sketchOf(schema: string | undefined): JsonValue {
	if (schema === undefined) return null;
	try {
		const root: unknown = JSON.parse(schema);
		return sketch(root, root, 0);
	} catch {
		return null;
	}
}

function sketch(schema: unknown, root: unknown, depth: number): JsonValue {
	if (!isFields(schema) || depth > DEPTH) return null;
	if (Object.hasOwn(schema, "const")) return schema.const as JsonValue;
	if (Object.hasOwn(schema, "default")) return schema.default as JsonValue;
	if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0] as JsonValue;
	if (typeof schema.$ref === "string") return sketch(definition(root, schema.$ref), root, depth + 1);
	for (const choice of [schema.oneOf, schema.anyOf, schema.allOf])
		if (Array.isArray(choice) && choice.length > 0) return sketch(choice[0], root, depth + 1);
	const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
	switch (type) {
		case "object":
			return members(schema.properties, schema.required, root, depth);
		case "array":
			return [];
		case "string":
			return "";
		case "number":
		case "integer":
			return typeof schema.minimum === "number" ? schema.minimum : 0;
		case "boolean":
			return false;
		default:
			return null;
	}
}

function members(properties: unknown, required: unknown, root: unknown, depth: number): JsonValue {
	if (!isFields(properties) || !Array.isArray(required)) return {};
	const entries = required
		.filter((name) => typeof name === "string" && Object.hasOwn(properties, name))
		.map((name: string) => [name, sketch(properties[name], root, depth + 1)] as const);
	return Object.fromEntries(entries);
}

/** A reference within the file: `#/$defs/Name`. */
function definition(root: unknown, reference: string): unknown {
	const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
	const definitions = isFields(root) && isFields(root.$defs) ? root.$defs : {};
	return name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}
