import { UsageError } from "./usage.ts";

/** Splits a command line at spaces, keeping quoted parts whole; no shell is involved. Throws a `UsageError` for none. */
export function wordsOf(option: string, commandLine: string): string[] {
	const words = commandLine.match(/"[^"]*"|'[^']*'|\S+/g);
	if (words === null) throw new UsageError(`${option} names no program`);
	return words.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
}
