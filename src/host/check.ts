import { escapeForDisplay } from "../display.ts";
import { isLocalName } from "../grammar/index.ts";
import { admitJson, isJsonObject, JsonError, type JsonObject, type JsonValue } from "../json/index.ts";
import type { PackageSnapshot } from "../package/index.ts";
import type { Failure, RunResult } from "../run/index.ts";
import { type Schema, SchemaError } from "../schema/index.ts";

/** The boundary a value is checked at (Schema/1 section 5). */
export type Boundary = "INVALID_INPUT" | "INVALID_SETTINGS" | "INVALID_RESULT";

/** A refused value: the boundary's code, or `RESOURCE_EXHAUSTED` where validation ran out of its budget. */
export interface Refusal<Code extends Boundary> {
	readonly code: Code | "RESOURCE_EXHAUSTED";
	readonly message: string;
	/** Pointers, keywords and sentences about types and bounds: a rejected value is never repeated. */
	readonly details?: JsonValue;
}

/** Admits a host value as JSON/1; the copy, or why not. */
export function admit<Code extends Boundary>(
	value: unknown,
	code: Code,
	what: string | (() => string),
): { readonly value: JsonValue } | { readonly refusal: Refusal<Code> } {
	try {
		return { value: admitJson(value) };
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		// A name with a surrogate without its pair can't cross the wire as it is.
		const instancePointer = (error.pointer ?? "").toWellFormed();
		const details = { code: error.code, instancePointer, message: error.reason };
		const message = `${typeof what === "string" ? what : what()} is not a FLOW JSON/1 value at ${place(instancePointer)}: ${error.reason}.`;
		return { refusal: { code, message, details } };
	}
}

/** Checks a value against a schema file's schema; absent, every JSON/1 value fits. */
export function fits<Code extends Boundary>(
	schema: Schema | undefined,
	value: JsonValue,
	code: Code,
	what: string,
): Refusal<Code> | undefined {
	if (schema === undefined) return undefined;
	try {
		const verdict = schema.evaluate(value, { code });
		if (verdict.valid) return undefined;
		const details = verdict.diagnostics.map((diagnostic) => ({
			code: diagnostic.code,
			instancePointer: diagnostic.instancePointer,
			schemaPointer: diagnostic.schemaPointer,
			...(diagnostic.keyword === undefined ? {} : { keyword: diagnostic.keyword }),
			message: diagnostic.message,
		}));
		const first = details[0];
		const why =
			first === undefined ? "" : ` at ${place(first.instancePointer)}: ${first.message}${rule(first.schemaPointer)}`;
		return { code, message: `${what} does not fit its schema${why}.`, details };
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		return {
			code: "RESOURCE_EXHAUSTED",
			message: `${what} could not be checked against its schema within the work limit.`,
		};
	}
}

/** A pointer in a message: at most 200 characters of it, so that the message keeps within Run/1's 1,024. */
function place(pointer: string): string {
	if (pointer === "") return "the root";
	const shown = Array.from(escapeForDisplay(pointer.slice(0, 400)));
	return shown.length > 200 || pointer.length > 400 ? `${shown.slice(0, 200).join("")}…` : shown.join("");
}

/** Which schema object refused; the whole schema needs no mention. */
function rule(schemaPointer: string): string {
	return schemaPointer === "" ? "" : ` (schema ${place(schemaPointer)})`;
}

/** Settings: one complete object; without a settings schema only `{}` (Schema/1 section 1). */
export function checkSettings(
	snapshot: PackageSnapshot,
	given: unknown,
): { readonly value: JsonObject } | { readonly refusal: Refusal<"INVALID_SETTINGS"> } {
	const admitted = admit(given, "INVALID_SETTINGS", "The settings value");
	if ("refusal" in admitted) return admitted;
	const { value } = admitted;
	if (!isJsonObject(value)) {
		return { refusal: { code: "INVALID_SETTINGS", message: "Settings must be one JSON object." } };
	}
	const schema = snapshot.schemas.settings;
	if (schema === undefined && Object.keys(value).length > 0) {
		return {
			refusal: {
				code: "INVALID_SETTINGS",
				message: "The package has no settings.schema.json, so its only valid settings are {}.",
			},
		};
	}
	const refusal = fits(schema, value, "INVALID_SETTINGS", "The settings object");
	return refusal === undefined ? { value } : { refusal };
}

/** Input against `input.schema.json`. */
export function checkInput(
	snapshot: PackageSnapshot,
	given: unknown,
): { readonly value: JsonValue } | { readonly refusal: Refusal<"INVALID_INPUT"> } {
	const admitted = admit(given, "INVALID_INPUT", "The input");
	if ("refusal" in admitted) return admitted;
	const refusal = fits(snapshot.schemas.input, admitted.value, "INVALID_INPUT", "The input");
	return refusal === undefined ? admitted : { refusal };
}

/** Acceptance of a root result: a declared outcome, then the result schema (Schema/1 section 2). */
export function checkResult(snapshot: PackageSnapshot, result: RunResult): Failure | undefined {
	if (result.outcome !== "done" && !snapshot.outcomes.has(result.outcome)) {
		return {
			code: "INVALID_RESULT",
			message: `The outcome "${escapeForDisplay(result.outcome)}" is neither done nor declared in FLOW.md.`,
			details: [
				{
					code: "INVALID_RESULT",
					instancePointer: "/outcome",
					schemaPointer: "",
					message: "Neither done nor declared in FLOW.md",
				},
			],
		};
	}
	const whole = { outcome: result.outcome, output: result.output };
	return fits(snapshot.schemas.result, whole, "INVALID_RESULT", "The result");
}

/** What a function bound to a child slot gave back: exactly `{ outcome, output }`. `what` begins the sentence. */
export function admitResult(
	given: unknown,
	what: string,
): { readonly value: RunResult } | { readonly refusal: Failure } {
	const admitted = admit(given, "INVALID_RESULT", what);
	if ("refusal" in admitted) return admitted;
	const { value } = admitted;
	if (isJsonObject(value) && Object.keys(value).length === 2 && Object.hasOwn(value, "output")) {
		const outcome = Object.hasOwn(value, "outcome") ? value.outcome : undefined;
		if (isLocalName(outcome)) return { value: { outcome, output: value.output! } };
	}
	return {
		refusal: {
			code: "INVALID_RESULT",
			message: `${what} must have exactly an outcome (a LocalName) and an output.`,
		},
	};
}
