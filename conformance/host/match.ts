import { expandRules } from "../corpus.ts";
import { type Fields, field, isFields } from "../data.ts";

/** Finds what a `$same` names; undefined where there is nothing. */
export type LookUp = (path: string) => unknown;

/**
 * Holds `found` against a pattern and says the first difference, or undefined. An object names the members that must match,
 * whatever more there is; a list matches item by item; anything else must be equal. Objects with one of these members alone
 * mean something else: `$any` (anything that is there), `$absent`, `$oneOf` (a list of patterns), `$not` (a pattern), `$exactly` (a value, no more
 * and no less), `$same` (equal to what the path leads to), `$kind` (`integer`, `string`, `token`, `digest`), `$count` (a list
 * of so many items), `$set` (a list that holds these patterns in any order).
 */
export function differenceFrom(pattern: unknown, found: unknown, at: string, look: LookUp): string | undefined {
	if (isFields(pattern)) {
		const [rule, ...more] = Object.keys(pattern);
		if (more.length === 0 && rule !== undefined && Object.hasOwn(MATCHERS, rule))
			return MATCHERS[rule]!(pattern[rule], found, at, look);
		const wanted = expandRules(pattern);
		if (!isFields(wanted)) return differenceFrom(wanted, found, at, look);
		if (!isFields(found)) return expected(pattern, found, at);
		for (const name of Object.keys(wanted)) {
			const difference = differenceFrom(wanted[name], field(found, name), `${at}.${name}`, look);
			if (difference !== undefined) return difference;
		}
		return undefined;
	}
	if (Array.isArray(pattern)) {
		if (!Array.isArray(found) || found.length !== pattern.length) return expected(pattern, found, at);
		for (const [index, item] of pattern.entries()) {
			const difference = differenceFrom(item, found[index], `${at}.${index}`, look);
			if (difference !== undefined) return difference;
		}
		return undefined;
	}
	return pattern === found ? undefined : expected(pattern, found, at);
}

type Matcher = (argument: unknown, found: unknown, at: string, look: LookUp) => string | undefined;

const MATCHERS: { readonly [rule: string]: Matcher } = {
	$any: (_, found, at) => (found === undefined ? `${at}: there is nothing` : undefined),
	$absent: (_, found, at) => (found === undefined ? undefined : `${at}: expected nothing, got ${preview(found)}`),
	$oneOf: (argument, found, at, look) => {
		const patterns = argument as readonly unknown[];
		if (patterns.some((each) => differenceFrom(each, found, at, look) === undefined)) return undefined;
		return `${at}: expected one of ${preview(patterns)}, got ${preview(found)}`;
	},
	$not: (argument, found, at, look) =>
		differenceFrom(argument, found, at, look) === undefined
			? `${at}: expected anything but ${preview(argument)}, got ${preview(found)}`
			: undefined,
	$exactly: (argument, found, at) => (equal(expandRules(argument), found) ? undefined : expected(argument, found, at)),
	$same: (argument, found, at, look) => {
		const other = look(argument as string);
		if (other === undefined) return `${at}: there is no ${argument} to compare with`;
		return equal(other, found)
			? undefined
			: `${at}: expected ${preview(other)} as in ${argument}, got ${preview(found)}`;
	},
	$kind: (argument, found, at) =>
		KINDS[argument as string]?.(found) ? undefined : `${at}: expected ${argument}, got ${preview(found)}`,
	$count: (argument, found, at) =>
		Array.isArray(found) && found.length === argument
			? undefined
			: `${at}: expected ${argument} items, got ${Array.isArray(found) ? found.length : preview(found)}`,
	$set: (argument, found, at, look) => {
		const patterns = argument as readonly unknown[];
		if (!Array.isArray(found) || found.length !== patterns.length) return expected(patterns, found, at);
		const missing = patterns.find((each) => !found.some((item) => differenceFrom(each, item, at, look) === undefined));
		return missing === undefined ? undefined : `${at}: nothing matches ${preview(missing)} in ${preview(found)}`;
	},
};

const KINDS: { readonly [kind: string]: (value: unknown) => boolean } = {
	integer: (value) => Number.isSafeInteger(value),
	string: (value) => typeof value === "string",
	object: isFields,
	token: (value) => typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/.test(value),
	digest: (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value),
};

function expected(pattern: unknown, found: unknown, at: string): string {
	return `${at}: expected ${preview(pattern)}, got ${found === undefined ? "nothing" : preview(found)}`;
}

/** Equality of plain JSON values. */
export function equal(left: unknown, right: unknown): boolean {
	if (Array.isArray(left))
		return (
			Array.isArray(right) && left.length === right.length && left.every((each, index) => equal(each, right[index]))
		);
	if (!isFields(left)) return left === right;
	const names = Object.keys(left);
	return (
		isFields(right) &&
		Object.keys(right).length === names.length &&
		names.every((name) => Object.hasOwn(right, name) && equal(left[name], (right as Fields)[name]))
	);
}

/** A value in a message, at most 300 characters of it. */
export function preview(value: unknown): string {
	const text = JSON.stringify(value) ?? "nothing";
	return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
