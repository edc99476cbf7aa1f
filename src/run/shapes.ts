/** Closed shapes over admitted JSON values: small checks, composed once, that say where the first fault is. */

import { quoteForDisplay } from "../display.ts";
import { isLocalName, isToken } from "../grammar/names.ts";
import { isJsonObject, type JsonValue } from "../json/index.ts";
import { scalarLength } from "../text.ts";

/** The first fault of a value: the member names that lead to it, outermost first, and what is wrong there. */
export interface Fault {
	readonly path: string[];
	readonly message: string;
}

/** Undefined when the value has the shape. */
export type Check = (value: JsonValue) => Fault | undefined;

function fault(message: string): Fault {
	return { path: [], message };
}

/** The path is only built on the way out of a failed check. */
function below(name: string, inner: Fault): Fault {
	inner.path.unshift(name);
	return inner;
}

/** Any JSON/1 value. */
export const anything: Check = () => undefined;

export const token: Check = (value) =>
	isToken(value)
		? undefined
		: fault("must be 1 to 128 characters: a letter or digit, then letters, digits and . _ : / -");

export const localName: Check = (value) =>
	isLocalName(value) ? undefined : fault("must be 1 to 64 characters: words of a-z 0-9 joined by single hyphens");

export const object: Check = (value) => (isJsonObject(value) ? undefined : fault("must be an object"));

/** Exactly one of `values`. */
export function literal(...values: readonly (string | number | null)[]): Check {
	const text = values.map((value) => JSON.stringify(value)).join(" or ");
	return (value) => (values.some((one) => one === value) ? undefined : fault(`must be ${text}`));
}

/** An integral number from `min` up; JSON/1 itself bounds it above. */
export function integer(min: number): Check {
	return (value) =>
		typeof value === "number" && Number.isInteger(value) && value >= min
			? undefined
			: fault(`must be an integer, ${min} or more`);
}

/** A string of `min` to `max` Unicode scalars. */
export function text(min: number, max: number = Number.POSITIVE_INFINITY): Check {
	const message =
		max === Number.POSITIVE_INFINITY ? "must be a nonempty string" : `must be a string of ${min} to ${max} characters`;
	return (value) => (typeof value === "string" && hasLength(value, min, max) ? undefined : fault(message));
}

/** A scalar is one or two UTF-16 units: only a length in between needs counting. */
function hasLength(value: string, min: number, max: number): boolean {
	if (value.length < min || value.length > 2 * max) return false;
	if (value.length <= max && value.length >= 2 * min - 1) return true;
	const length = scalarLength(value);
	return length >= min && length <= max;
}

/** A string that `test` accepts. */
export function matching(test: (value: string) => boolean, message: string): Check {
	return (value) => (typeof value === "string" && test(value) ? undefined : fault(message));
}

/** A value that satisfies all of `checks`. */
export function all(...checks: readonly Check[]): Check {
	return (value) => {
		for (const check of checks) {
			const found = check(value);
			if (found !== undefined) return found;
		}
		return undefined;
	};
}

/** A value of one of several shapes; the fault names the choice, since none of the shapes is meant more than another. */
export function either(message: string, ...checks: readonly Check[]): Check {
	return (value) => {
		for (const check of checks) if (check(value) === undefined) return undefined;
		return fault(message);
	};
}

/** A closed object: exactly `required`, and any of `optional`. */
export function closed(
	required: Readonly<Record<string, Check>>,
	optional: Readonly<Record<string, Check>> = {},
): Check {
	const checks = new Map([...Object.entries(required), ...Object.entries(optional)]);
	const needed = Object.keys(required);
	return (value) => {
		if (!isJsonObject(value)) return fault("must be an object");
		let missing = needed.length;
		for (const name in value) {
			// What every object inherits is no member.
			if (!Object.hasOwn(value, name)) continue;
			const check = checks.get(name);
			if (check === undefined) return fault(`has the unknown member ${quoteForDisplay(name, 64)}`);
			const found = check(value[name]!);
			if (found !== undefined) return below(name, found);
			if (Object.hasOwn(required, name)) missing -= 1;
		}
		if (missing === 0) return undefined;
		return fault(`lacks the member "${needed.find((name) => !Object.hasOwn(value, name))}"`);
	};
}

/** An object of at most `max` members, each named by a `LocalName`. */
export function mapOf(check: Check, max: number): Check {
	return (value) => {
		if (!isJsonObject(value)) return fault("must be an object");
		const names = Object.keys(value);
		if (names.length > max) return fault(`has more than ${max} members`);
		for (const name of names) {
			if (!isLocalName(name))
				return fault("has a name that is not words of a-z 0-9 joined by single hyphens, 1 to 64 characters");
			const found = check(value[name]!);
			if (found !== undefined) return below(name, found);
		}
		return undefined;
	};
}
