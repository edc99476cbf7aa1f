/** The Standard Schema v1 interface (standardschema.dev), structurally: no dependency. */

import { type JsonValue, parsePointer } from "../json/index.ts";
import type { Diagnostic } from "./explain.ts";
import type { Schema } from "./schema.ts";

/** One problem, as Standard Schema reports it. */
export interface StandardIssue {
	readonly message: string;
	/** Member names and item indices from the root of the value. */
	readonly path: readonly (string | number)[];
}

/** What `~standard.validate` returns: the admitted snapshot, or up to 1,024 issues. */
export type StandardResult =
	| { readonly value: JsonValue; readonly issues?: undefined }
	| { readonly issues: readonly StandardIssue[] };

/** The value of `~standard`. */
export interface StandardProps {
	readonly version: 1;
	readonly vendor: "millrace";
	/** Synchronous. Throws `SchemaError` `SCHEMA_LIMIT_EXCEEDED`: exhaustion is no verdict on the value. */
	readonly validate: (value: unknown) => StandardResult;
	/** For type inference only; never present. */
	readonly types?: { readonly input: JsonValue; readonly output: JsonValue } | undefined;
}

/** The Standard Schema properties of a schema. */
export function standardProps(schema: Schema): StandardProps {
	return {
		version: 1,
		vendor: "millrace",
		validate: (value) => {
			const checked = schema.check(value, { all: true });
			if (checked.valid) return { value: checked.value };
			return { issues: checked.diagnostics.map((diagnostic) => issueOf(diagnostic, value)) };
		},
	};
}

/** An index of an array becomes a number, as form libraries expect. */
function issueOf({ message, instancePointer }: Diagnostic, value: unknown): StandardIssue {
	const path: (string | number)[] = [];
	let at = value;
	for (const token of parsePointer(instancePointer)) {
		path.push(isArray(at) ? Number(token) : token);
		at = own(at, token);
	}
	return { message, path };
}

/** What was refused may be anything: a revoked proxy throws even here. */
function isArray(value: unknown): boolean {
	try {
		return Array.isArray(value);
	} catch {
		return false;
	}
}

/** The own data property of that name: no accessor runs, and what a proxy throws stays here. */
function own(value: unknown, name: string): unknown {
	try {
		return Object.getOwnPropertyDescriptor(value, name)?.value;
	} catch {
		return undefined;
	}
}
