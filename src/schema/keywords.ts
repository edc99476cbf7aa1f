// biome-ignore-all lint/suspicious/noThenProperty: the keyword's name
/** The keyword allowlist of Schema/1 section 3: what each keyword's value must be, and what it becomes. */

import { isJsonObject, type JsonValue } from "../json/index.ts";
import { SchemaError, type SchemaErrorCode } from "./error.ts";
import { TYPE_BITS } from "./kinds.ts";
import type { Scalar, SchemaNode, TypeName } from "./node.ts";
import { type Place, pointerOf } from "./place.ts";

/** One keyword of one schema object under inspection. */
export interface Cursor {
	readonly place: Place;
	readonly keyword: string;
	/** Reads a schema below this keyword. */
	schema(value: JsonValue, token?: string | number): SchemaNode;
	/** Notes a reference whose target is bound when all definitions are known. */
	reference(definition: string): void;
	/** Reads the root's definition map, or refuses it elsewhere. */
	definitions(value: JsonValue): void;
	/** Whether `$schema` may stand here. */
	readonly declares: boolean;
}

const DEFINITION_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
const REFERENCE = /^#\/\$defs\/([A-Za-z][A-Za-z0-9]{0,63})$/;

/** Whether a text is a definition's name. */
export function isDefinitionName(text: string): boolean {
	return DEFINITION_NAME.test(text);
}

type Reader = (value: JsonValue, at: Cursor) => unknown;

/** Every keyword of the allowlist; what isn't an own name here is unsupported. A reader returns what evaluation needs. */
export const READERS: { readonly [keyword: string]: Reader } = {
	$schema: dialect,
	$defs: (value, at) => at.definitions(value),
	$ref: reference,
	$comment: annotation,
	title: annotation,
	description: annotation,
	examples,
	type: types,
	enum: (value, at) => array(value, at).map((member, i) => scalar(member, at, i)),
	const: (value, at) => scalar(value, at),
	allOf: schemas,
	anyOf: schemas,
	oneOf: schemas,
	not: schema,
	if: schema,
	then: schema,
	else: schema,
	properties: namedSchemas,
	required: (value, at) => names(value, at),
	additionalProperties: schema,
	minProperties: count,
	maxProperties: count,
	dependentRequired: namedNames,
	dependentSchemas: namedSchemas,
	prefixItems: schemas,
	items: schema,
	contains: schema,
	minContains: count,
	maxContains: count,
	minItems: count,
	maxItems: count,
	minLength: count,
	maxLength: count,
	minimum: number,
	exclusiveMinimum: number,
	maximum: number,
	exclusiveMaximum: number,
};

function fail(at: Cursor, message: string, token?: string | number, code: SchemaErrorCode = "SCHEMA_INVALID"): never {
	throw new SchemaError(code, `"${at.keyword}" ${message}`, {
		schemaPointer: pointerOf(at.place, at.keyword, token),
		keyword: at.keyword,
	});
}

function dialect(_value: JsonValue, at: Cursor): void {
	// A file's own declaration is checked before anything else in it.
	if (!at.declares) fail(at, "stands only at the root of a schema file; remove it here");
}

/** S7: a wrong type is the keyword's shape; a wrong spelling is the reference. */
function reference(value: JsonValue, at: Cursor): void {
	if (typeof value !== "string") fail(at, 'must be a string "#/$defs/<name>"');
	const name = REFERENCE.exec(value)?.[1];
	if (name === undefined) {
		const message = 'must be spelled exactly "#/$defs/<name>", the name a letter and at most 63 letters or digits';
		fail(at, message, undefined, "SCHEMA_REFERENCE_INVALID");
	}
	at.reference(name);
}

function annotation(value: JsonValue, at: Cursor): void {
	if (typeof value !== "string") fail(at, "must be a string");
}

function examples(value: JsonValue, at: Cursor): void {
	array(value, at);
}

function array(value: JsonValue, at: Cursor, token?: string): readonly JsonValue[] {
	if (!Array.isArray(value)) fail(at, "must be an array", token);
	return value;
}

function object(value: JsonValue, at: Cursor): [string, JsonValue][] {
	if (!isJsonObject(value)) fail(at, "must be an object");
	return Object.entries(value);
}

/** One type name, or a nonempty array of different ones (S10). */
function types(value: JsonValue, at: Cursor): readonly TypeName[] {
	if (!Array.isArray(value)) return [typeName(value, at)];
	if (value.length === 0) fail(at, "must name at least one type");
	const seen = new Set<TypeName>();
	for (const [i, item] of value.entries()) {
		const name = typeName(item, at, i);
		if (seen.has(name)) fail(at, `names "${name}" twice`, i);
		seen.add(name);
	}
	return [...seen];
}

function typeName(value: JsonValue, at: Cursor, token?: number): TypeName {
	if (typeof value !== "string" || !Object.hasOwn(TYPE_BITS, value))
		fail(at, "must name null, boolean, integer, number, string, array or object", token);
	return value as TypeName;
}

function scalar(value: JsonValue, at: Cursor, token?: number): Scalar {
	if (typeof value === "object" && value !== null)
		fail(at, "takes null, booleans, numbers and strings only; describe structures with schemas", token);
	return value;
}

function schema(value: JsonValue, at: Cursor): SchemaNode {
	return at.schema(value);
}

function schemas(value: JsonValue, at: Cursor): readonly SchemaNode[] {
	const items = array(value, at);
	if (items.length === 0) fail(at, "must list at least one schema");
	return items.map((item, i) => at.schema(item, i));
}

function namedSchemas(value: JsonValue, at: Cursor): ReadonlyMap<string, SchemaNode> {
	return new Map(object(value, at).map(([name, item]) => [name, at.schema(item, name)]));
}

/** Different strings, perhaps none. */
function names(value: JsonValue, at: Cursor, trigger?: string): readonly string[] {
	const seen = new Set<string>();
	const items = array(value, at, trigger);
	for (const [i, name] of items.entries()) {
		if (typeof name !== "string") fail(at, "must list member names, which are strings", trigger ?? i);
		if (seen.has(name)) fail(at, "lists a name twice", trigger ?? i);
		seen.add(name);
	}
	return [...seen];
}

function namedNames(value: JsonValue, at: Cursor): ReadonlyMap<string, readonly string[]> {
	return new Map(object(value, at).map(([trigger, list]) => [trigger, names(list, at, trigger)]));
}

/** S12: any spelling of a non-negative integral number. */
function count(value: JsonValue, at: Cursor): number {
	if (typeof value !== "number" || !Number.isInteger(value) || value < 0) fail(at, "must be a non-negative integer");
	return value;
}

function number(value: JsonValue, at: Cursor): number {
	if (typeof value !== "number") fail(at, "must be a number");
	return value;
}
