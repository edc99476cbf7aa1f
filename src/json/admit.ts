/** The guard for host values: what JavaScript code hands in, checked once and copied, so that it can't change afterwards. */

import { exceedsUtf8 } from "../text.ts";
import { canonicalize } from "./canonical.ts";
import { JsonError, type JsonErrorCode, limitError } from "./error.ts";
import { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { formatPointer } from "./pointer.ts";
import { addMember, type JsonValue } from "./value.ts";

/** What stands around a part of a document whose bounds hold for the whole. */
export interface Around {
	/** Levels above the part. */
	readonly depth: number;
	/** Values that aren't in the part. */
	readonly nodes: number;
	/** Bytes that aren't in the part: of scalars, names and brackets; of separators. */
	readonly bytes: number;
	readonly separators: number;
	/** Where the part is. */
	readonly pointer: string;
}

const NOTHING: Around = { depth: 0, nodes: 0, bytes: 0, separators: 0, pointer: "" };

/**
 * Admits a host value as JSON/1 and returns an isolated copy with ordinary prototypes.
 *
 * Admitted: null, booleans, well-formed strings, numbers of the JSON/1 domain, plain objects of any realm (the prototype is
 * null or some realm's `Object.prototype`) and plain dense arrays, with own enumerable data properties only; every
 * limit of JSON/1, `bytes` as the compact encoding's. Accessors are never run, `toJSON` never called. A reference that is
 * shared is copied at each place; one that contains itself is `JSON_CYCLE`. A proxy is read through its traps, each
 * property once; what a trap throws becomes `JSON_TYPE` with that as the `cause`.
 *
 * Throws `JsonError` with `pointer`: `JSON_TYPE`, `JSON_CYCLE`, `JSON_LONE_SURROGATE`, `JSON_NUMBER_RANGE`, `JSON_LIMIT`.
 */
export function admitJson(value: unknown): JsonValue {
	return admitWithin(value, NOTHING);
}

/**
 * Admits a value that becomes part of a document, as if {@link admitJson} admitted the whole: the same bounds, the same
 * pointers. What is around must be admissible itself.
 */
export function admitPart(value: unknown, around: Around): JsonValue {
	return isPlainScalar(value, around) ? value : admitWithin(value, around);
}

/** Whether a value is a scalar that meets no bound: nothing is left to check. */
function isPlainScalar(value: unknown, { depth, nodes, bytes, separators }: Around): value is JsonValue {
	if (depth >= JSON_LIMITS.depth || nodes >= JSON_LIMITS.nodes) return false;
	switch (typeof value) {
		case "string": {
			const most = value.length * 6 + 4;
			return most <= JSON_LIMITS.stringBytes && bytes + separators + most <= JSON_LIMITS.bytes && value.isWellFormed();
		}
		case "number":
			return bytes + separators + 26 <= JSON_LIMITS.bytes && isNumberInDomain(value);
		default:
			return (value === null || typeof value === "boolean") && bytes + separators + 6 <= JSON_LIMITS.bytes;
	}
}

function admitWithin(value: unknown, around: Around): JsonValue {
	// The annotation lets the compiler see that `fail` doesn't return.
	const guard: Guard = new Guard(around);
	let copy: JsonValue;
	try {
		copy = guard.admit(value);
	} catch (error) {
		if (error === guard.verdict) throw error;
		// Only the value's own code can throw anything else: a proxy's trap, or the refusal of a revoked proxy.
		guard.fail("JSON_TYPE", "A value that can't be read", error);
	}
	// The bound is on bytes, the running count was of UTF-16 units: only a value that might be too big is measured.
	if (guard.mayExceed && canonicalize(copy).length + around.bytes + around.separators > JSON_LIMITS.bytes) {
		throw limitError("bytes", { pointer: "" });
	}
	return copy;
}

class Guard {
	/** The containers from the root to the value that is read, and the name or index of the next step in each. */
	readonly #sources: object[] = [];
	readonly #steps: (string | number)[] = [];
	/** The refusal; a trap may throw a `JsonError` of its own, which is no verdict of ours. */
	verdict: JsonError | undefined;
	#nodes: number;
	/** A lower bound of the encoded size. */
	#least: number;
	/** An upper bound of the encoded size. */
	#most: number;
	readonly #depth: number;
	readonly #place: string;

	constructor({ depth, nodes, bytes, separators, pointer }: Around) {
		this.#nodes = nodes;
		this.#least = bytes;
		this.#most = bytes + separators;
		this.#depth = JSON_LIMITS.depth - depth;
		this.#place = pointer;
	}

	get mayExceed(): boolean {
		return this.#most > JSON_LIMITS.bytes;
	}

	/** Checks and copies one value; recursion ends with the levels that JSON/1 allows. */
	admit(value: unknown): JsonValue {
		if (this.#sources.length >= this.#depth) this.#exceed("depth");
		if (++this.#nodes > JSON_LIMITS.nodes) this.#exceed("nodes");
		switch (typeof value) {
			case "string":
				this.#checkText(value, "stringBytes");
				return value;
			case "number":
				if (!isNumberInDomain(value)) {
					this.fail("JSON_NUMBER_RANGE", "A number that is not finite, or integral beyond 9007199254740991");
				}
				this.#size(1, 26);
				return value;
			case "boolean":
				this.#size(4, 6);
				return value;
			case "object":
				if (value === null) {
					this.#size(4, 6);
					return null;
				}
				return this.#container(value);
			default:
				this.fail("JSON_TYPE", value === undefined ? this.#undefined() : `JSON has no ${typeof value}`);
		}
	}

	/** The commonest mistake gets its remedy: a member that is undefined is none. */
	#undefined(): string {
		const step = this.#steps.at(-1);
		if (step === undefined ? this.#place !== "" : typeof step === "string") {
			return "A member that is undefined; leave it out";
		}
		return `${step === undefined ? "JSON has no" : "An item that is"} undefined; use null`;
	}

	#container(source: object): JsonValue {
		if (this.#sources.includes(source)) this.fail("JSON_CYCLE", "An object that contains itself");
		this.#size(2, 4);
		return Array.isArray(source) ? this.#array(source) : this.#object(source);
	}

	#array(source: readonly unknown[]): JsonValue {
		const prototype: unknown = Object.getPrototypeOf(source);
		if (!Array.isArray(prototype) || !isObjectPrototype(Object.getPrototypeOf(prototype))) {
			this.fail("JSON_TYPE", "An array of a class of its own");
		}
		const length = Object.getOwnPropertyDescriptor(source, "length")?.value as number;
		if (length > JSON_LIMITS.items) this.#exceed("items");
		const keys = Reflect.ownKeys(source);
		if (keys.length !== length + 1) this.fail("JSON_TYPE", "An array with holes or extra properties");
		const copy: JsonValue[] = [];
		const depth = this.#enter(source);
		for (let index = 0; index < length; index++) {
			this.#steps[depth] = index;
			copy.push(this.admit(this.#property(source, index)));
		}
		this.#leave();
		return copy;
	}

	#object(source: object): JsonValue {
		const prototype: unknown = Object.getPrototypeOf(source);
		if (prototype !== null && !isObjectPrototype(prototype)) {
			this.fail("JSON_TYPE", "An object of a class; give plain objects");
		}
		const names = Reflect.ownKeys(source);
		for (const name of names) {
			if (typeof name === "symbol") this.fail("JSON_TYPE", "A property with a symbol for a name");
		}
		if (names.length > JSON_LIMITS.members) this.#exceed("members");
		const copy: Record<string, JsonValue> = {};
		const depth = this.#enter(source);
		for (const name of names as string[]) {
			this.#steps[depth] = name;
			addMember(copy, name, this.admit(this.#property(source, name)));
		}
		this.#leave();
		return copy;
	}

	#enter(source: object): number {
		this.#steps.push(0);
		return this.#sources.push(source) - 1;
	}

	#leave(): void {
		this.#steps.pop();
		this.#sources.pop();
	}

	/** One own property's value, read from its descriptor so that no accessor runs. */
	#property(source: object, name: string | number): unknown {
		if (typeof name === "string") this.#checkText(name, "nameBytes");
		const property = Object.getOwnPropertyDescriptor(source, name);
		if (property === undefined) this.fail("JSON_TYPE", "A hole in an array, or a property that vanished");
		if (!Object.hasOwn(property, "value")) this.fail("JSON_TYPE", "An accessor; give the value itself");
		if (!property.enumerable) this.fail("JSON_TYPE", "A property that isn't enumerable");
		return property.value;
	}

	#checkText(text: string, limit: "stringBytes" | "nameBytes"): void {
		if (exceedsUtf8(text, JSON_LIMITS[limit])) this.#exceed(limit);
		if (!text.isWellFormed()) this.fail("JSON_LONE_SURROGATE", "A string with a surrogate without its pair");
		this.#size(text.length + 2, text.length * 6 + 4);
	}

	/** Adds to the bounds of the encoded size: a separator before or a colon after may come on top, one byte each. */
	#size(least: number, most: number): void {
		this.#most += most;
		this.#least += least;
		if (this.#least > JSON_LIMITS.bytes) this.#exceed("bytes");
	}

	#exceed(limit: JsonLimitName): never {
		this.verdict = limitError(limit, { pointer: this.#pointer() });
		throw this.verdict;
	}

	fail(code: JsonErrorCode, message: string, cause?: unknown): never {
		this.verdict = new JsonError(code, message, { pointer: this.#pointer(), cause });
		throw this.verdict;
	}

	/** Of the value that is being read. */
	#pointer(): string {
		return this.#place + formatPointer(this.#steps);
	}
}

/** Whether this is the `Object.prototype` of some realm: nothing above it, and its own `isPrototypeOf`. */
function isObjectPrototype(value: unknown): boolean {
	if (value === Object.prototype) return true;
	if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== null) return false;
	return Object.hasOwn(value, "isPrototypeOf") && Object.hasOwn(value, "hasOwnProperty");
}
