import { expect } from "vitest";
import { JsonError, type JsonErrorCode, type JsonLimitName } from "../../src/json/index.ts";

/** What a refusal is expected to say; only the given fields are compared. */
export interface Refusal {
	code: JsonErrorCode;
	offset?: number;
	line?: number;
	column?: number;
	pointer?: string;
	limit?: JsonLimitName;
}

/** Runs `act`, which has to throw a `JsonError`, and returns it. */
export function refusal(act: () => unknown): JsonError {
	try {
		act();
	} catch (error) {
		expect(error).toBeInstanceOf(JsonError);
		return error as JsonError;
	}
	return expect.fail("nothing was refused");
}

/** The fields of an error that identify it, for comparison. */
export function facts(error: JsonError): Refusal {
	const { code, offset, line, column, pointer, limit } = error;
	const given = { code, offset, line, column, pointer, limit: limit?.name };
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as unknown as Refusal;
}

/** What a reader makes of a source: a value, or the facts of its refusal. Anything but a `JsonError` is a failure. */
export function verdict<T>(read: () => T): { value: T } | { refused: Refusal } {
	try {
		return { value: read() };
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		return { refused: facts(error) };
	}
}

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array {
	return encoder.encode(text);
}
