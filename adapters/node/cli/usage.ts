import { type Digest, isDigest } from "../../../src/digest.ts";

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration such as `500ms`, `30s`, `2m` or `1h` into milliseconds above 0. */
export function parseDuration(text: string): number {
	const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text);
	const ms = match === null ? 0 : Math.round(Number(match[1]) * UNITS[match[2]!]!);
	if (ms <= 0) throw new UsageError(`"${text}" is no time to wait; write for example 500ms, 30s, 2m or 1h`);
	return ms;
}

/** Reads a digest in its one public spelling. */
export function parseDigest(text: string): Digest {
	if (!isDigest(text))
		throw new UsageError(`"${text}" is no digest; it is sha256: and 64 lowercase hexadecimal digits`);
	return text;
}

/** Reads a number of things, from 1 to 999,999,999. */
export function parseCount(text: string): number {
	if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`"${text}" is no number of things; write for example 1000`);
	return Number(text);
}

/** Reads a directory or file name. An empty one is what an unset shell variable leaves, and would mean the current directory. */
export function parsePath(text: string): string {
	if (text === "") throw new UsageError("the name is empty");
	return text;
}

/** Splits `name=rest` at its first equals sign. */
export function parseAssignment(text: string, form: string): [name: string, rest: string] {
	const at = text.indexOf("=");
	if (at <= 0 || at === text.length - 1) throw new UsageError(`"${text}" should look like ${form}`);
	return [text.slice(0, at), text.slice(at + 1)];
}

/** Collects a repeatable option. */
export function collect(value: string, earlier: readonly string[]): string[] {
	return [...earlier, value];
}
