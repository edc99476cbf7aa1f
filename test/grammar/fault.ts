import { PathError } from "../../src/grammar/index.ts";

/** The `PathError` that `check` throws; undefined where it returns. Anything else thrown is thrown on. */
export function faultOf(check: () => unknown): PathError | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		if (error instanceof PathError) return error;
		throw error;
	}
}
