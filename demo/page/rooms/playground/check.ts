/** From two texts to everything the room shows, without the page. */
import {
	appendPointer,
	type CapabilityContract,
	type ContractIdentity,
	compileSchema,
	type Diagnostic,
	JsonError,
	type JsonValue,
	parseCapabilityContract,
	parseChannelContract,
	parseJson,
	SCHEMA_LIMITS,
	type Schema,
	SchemaError,
} from "millrace";
import { indexOfByte, type Range, rangesOf } from "../../parts/ranges.ts";
import type { Mode } from "./link.ts";

/** What an editor holds: text, or the very bytes of a file that was opened and not edited since. */
export type Content = string | Uint8Array;

/** A place in a text that something is wrong with. */
export interface Mark extends Range {
	readonly message: string;
}

/** A refusal of a schema, a contract or an instance, as it is shown. */
export interface Fault {
	readonly code: string;
	readonly message: string;
	/** JSON/1's place. */
	readonly place?: { readonly offset: number; readonly line: number; readonly column: number };
	readonly pointer?: string;
	readonly mark: Mark | undefined;
}

/** A contract, or a schema file: what can be tried against an instance. */
export interface Source {
	readonly schemas: ReadonlyMap<string, Schema>;
	readonly identity?: ContractIdentity;
	/** Words beside the identity. */
	readonly facts: readonly (readonly [name: string, value: string])[];
}

export type Compiled = { readonly source: Source } | { readonly fault: Fault };

/** The source on the left: a schema, a capability contract or a channel contract. */
export function compile(mode: Mode, content: Content): Compiled {
	try {
		return { source: read(mode, content) };
	} catch (error) {
		return { fault: faultOf(error, content) };
	}
}

function read(mode: Mode, content: Content): Source {
	if (mode === "schema") {
		const schema = compileSchema(content);
		return { schemas: new Map([["schema", schema]]), facts: sizes(schema) };
	}
	if (mode === "channel") {
		const { identity, item, semantics } = parseChannelContract(content);
		return { schemas: new Map([["item", item]]), identity, facts: [["Semantics", semantics], ...sizes(item)] };
	}
	const contract = parseCapabilityContract(content);
	const { identity, methods, references } = contract;
	const facts: [string, string][] = [["Methods", [...methods.keys()].join(", ")]];
	if (references.length > 0) facts.push(["Channel contracts it refers to", references.join(", ")]);
	return { schemas: schemasOf(contract), identity, facts };
}

function schemasOf({ methods }: CapabilityContract): Map<string, Schema> {
	const schemas = new Map<string, Schema>();
	for (const [name, { input, output, errors, channels }] of methods) {
		schemas.set(`${name}: input`, input);
		schemas.set(`${name}: output`, output);
		for (const [error, schema] of errors) schemas.set(`${name}: error ${error}`, schema);
		for (const [channel, { schema }] of channels) {
			if (schema !== undefined) schemas.set(`${name}: channel ${channel}`, schema);
		}
	}
	return schemas;
}

function sizes({ nodes, depth }: Schema): [string, string][] {
	return [
		["Schema nodes", `${nodes} of ${SCHEMA_LIMITS.nodes}`],
		["Depth", `${depth} of ${SCHEMA_LIMITS.depth}`],
	];
}

/** Where in the source a diagnostic points: at the keyword, where one is named. */
export function sourcePointerOf({ schemaPointer, keyword }: Diagnostic): string {
	return keyword === undefined ? schemaPointer : appendPointer(schemaPointer, keyword);
}

/** What came of one evaluation. */
export type Outcome =
	| { readonly verdict: "unread"; readonly fault: Fault }
	| { readonly verdict: "exhausted"; readonly value: JsonValue; readonly message: string }
	| {
			readonly verdict: "valid" | "invalid";
			readonly value: JsonValue;
			readonly work: number;
			/** Units by keyword, the most expensive first. */
			readonly profile: readonly (readonly [keyword: string, units: number])[];
			readonly diagnostics: readonly Diagnostic[];
	  };

/** The instance on the right against one schema. */
export function check(schema: Schema, content: Content): Outcome {
	let value: JsonValue;
	try {
		value = parseJson(content);
	} catch (error) {
		return { verdict: "unread", fault: faultOf(error, content) };
	}
	try {
		const { valid, work, diagnostics, profile = {} } = schema.evaluate(value, { all: true, profile: true });
		const units = Object.entries(profile as Readonly<Record<string, number>>).sort(([, a], [, b]) => b - a);
		return { verdict: valid ? "valid" : "invalid", value, work, profile: units, diagnostics };
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return { verdict: "exhausted", value, message: error.message };
	}
}

/** An error of the library at its place in the text. Throws what is none. */
export function faultOf(error: unknown, content: Content): Fault {
	if (!(error instanceof Error) || typeof (error as { code?: unknown }).code !== "string") throw error;
	const {
		code,
		schemaPointer,
		pointer = schemaPointer,
	} = error as Error & {
		readonly code: string;
		readonly schemaPointer?: string;
		readonly pointer?: string;
	};
	const json = [error, error.cause].find((one) => one instanceof JsonError);
	const { message } = error;
	if (json?.offset !== undefined && json.line !== undefined && json.column !== undefined) {
		const { offset, line, column } = json;
		const text = textOf(content);
		// In bytes that are no UTF-8, or begin with a mark, the text that is shown has other offsets: the start of the line serves.
		const from = typeof content === "string" ? indexOfByte(text, offset) : startOfLine(text, line);
		return {
			code: json.code,
			message: json.reason,
			place: { offset, line, column },
			mark: { ...around(text, from), message: json.reason },
		};
	}
	if (pointer === undefined) return { code, message, mark: undefined };
	const range = rangesOf(textOf(content), new Set([pointer])).get(pointer);
	return { code, message, pointer, mark: range && { ...range, message } };
}

function startOfLine(text: string, line: number): number {
	let at = 0;
	for (let left = line - 1; left > 0; left -= 1) {
		const end = text.indexOf("\n", at);
		if (end < 0) return at;
		at = end + 1;
	}
	return at;
}

/** One character at least, to be seen; the one before the end when the text ends too early. */
function around(text: string, at: number): Range {
	const from = Math.max(0, Math.min(at, text.length - 1));
	return { from, to: Math.min(text.length, from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)) };
}

export function textOf(content: Content): string {
	return typeof content === "string" ? content : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
}
