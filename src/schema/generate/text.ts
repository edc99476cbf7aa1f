/** How values of a schema are spelled in JavaScript: plain ASCII in which no text can end its literal, a comment or a script element. */

import type { Scalar } from "../node.ts";

/** A scalar as an expression. */
export function literal(value: Scalar): string {
	// -0 equals 0 in JSON/1, and RFC 8785 writes it so.
	if (typeof value !== "string") return String(value === 0 ? 0 : value);
	return JSON.stringify(value).replace(
		/[<>\u007f-\uffff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** What every object of a clean realm inherits: only `hasOwn` tells whether an object has a member of such a name. */
const INHERITED = new Set([
	"__defineGetter__",
	"__defineSetter__",
	"__lookupGetter__",
	"__lookupSetter__",
	"__proto__",
	"constructor",
	"hasOwnProperty",
	"isPrototypeOf",
	"propertyIsEnumerable",
	"toLocaleString",
	"toString",
	"valueOf",
]);

/** Whether a clean `Object.prototype` has the name. */
export function isInherited(name: string): boolean {
	return INHERITED.has(name);
}

/** The member of an object, by a name that it has or that nothing inherits. */
export function member(object: string, name: string): string {
	return /^[A-Za-z_$][\w$]*$/.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`;
}

/** Collects the names whose absence from `Object.prototype` the module relies on. */
export class Names {
	readonly used: Set<string> = new Set();

	/** An expression: whether an object has a member of its own. `read` holds the member where it was read already. */
	has(object: string, name: string, read: string = member(object, name)): string {
		if (isInherited(name)) return `hasOwn(${object}, ${literal(name)})`;
		this.used.add(name);
		return `${read} !== undefined`;
	}
}
