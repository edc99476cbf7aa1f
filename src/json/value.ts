/**
 * The JSON/1 value model (JSON/1 "Equality and canonical bytes"): plain JSON values, members as own properties only.
 */

/** A JSON/1 value. Read members with `Object.hasOwn`: `__proto__`, `constructor` and `toString` are ordinary names. */
export type JsonValue =
	| null
	| boolean
	| number
	| string
	| readonly JsonValue[]
	| { readonly [name: string]: JsonValue };

/** A JSON/1 object. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** Whether an admitted value is an object (not an array, not null). */
export function isJsonObject(value: JsonValue): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member, or undefined; never one that every object inherits, such as `toString` or `constructor`. */
export function ownMember(value: JsonObject, name: string): JsonValue | undefined {
	return Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Whether plain objects inherit enumerable members, because somebody extended `Object.prototype`: `for in`, the fastest way to
 * the names of an object, goes on to those too.
 */
export function objectsInheritNames(): boolean {
	for (const _ in {}) return true;
	return false;
}

/**
 * Adds a member that the object doesn't have yet. A plain assignment would run a setter inherited under that name, and
 * `__proto__` is one on every ordinary object; such names are defined instead.
 */
export function addMember<T>(target: Record<string, T>, name: string, value: T): void {
	if (name in target) {
		// The descriptor inherits nothing: a `get` on `Object.prototype` would make it another kind.
		const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
		Object.defineProperty(target, name, descriptor);
	} else {
		target[name] = value;
	}
}
