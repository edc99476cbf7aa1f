/** The guard for host values: what JavaScript code hands in, checked once and copied, so that it can't change afterwards. */

import { exceedsUtf8 } from "../text.ts";
import { canonicalize } from "./canonical.ts";
import { JsonError, type JsonErrorCode, limitError } from "./error.ts";
import { JSON_LIMITS, type JsonLimitName } from "./limits.ts";
import { isNumberInDomain } from "./number.ts";
import { formatPointer } from "./pointer.ts";
import { addMember, type JsonValue } from "./value.ts";

/** A container on the path from the root: its source, what is still to be read, and the copy so far. */
interface Frame {
	readonly source: object;
	/** Names of an object; undefined for an array. */
	readonly names: readonly string[] | undefined;
	readonly length: number;
	next: number;
	readonly copy: JsonValue[] | Record<string, JsonValue>;
}

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
	readonly #path: Frame[] = [];
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

	admit(root: unknown): JsonValue {
		let result = this.#read(root);
		for (;;) {
			const frame = this.#path.at(-1);
			if (frame === undefined) return result;
			if (frame.next >= frame.length) {
				this.#path.pop();
				result = frame.copy;
				continue;
			}
			const index = frame.next++;
			const name = frame.names === undefined ? index : frame.names[index]!;
			const child = this.#property(frame.source, name);
			// A container's copy is attached when it is opened and filled afterwards.
			const copy = this.#read(child);
			if (frame.names === undefined) (frame.copy as JsonValue[]).push(copy);
			else addMember(frame.copy as Record<string, JsonValue>, name as string, copy);
		}
	}

	/** Checks one value; a container is opened, its (still empty) copy returned. */
	#read(value: unknown): JsonValue {
		if (this.#path.length >= this.#depth) this.#exceed("depth");
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
				return this.#open(value);
			default:
				this.fail("JSON_TYPE", value === undefined ? this.#undefined() : `JSON has no ${typeof value}`);
		}
	}

	/** The commonest mistake gets its remedy: a member that is undefined is none. */
	#undefined(): string {
		const parent = this.#path.at(-1);
		if (parent === undefined ? this.#place !== "" : parent.names !== undefined)
			return "A member that is undefined; leave it out";
		return `${parent === undefined ? "JSON has no" : "An item that is"} undefined; use null`;
	}

	#open(source: object): JsonValue {
		for (const frame of this.#path) {
			if (frame.source === source) this.fail("JSON_CYCLE", "An object that contains itself");
		}
		this.#size(2, 4);
		return Array.isArray(source) ? this.#openArray(source) : this.#openObject(source);
	}

	#openArray(source: readonly unknown[]): JsonValue {
		const prototype: unknown = Object.getPrototypeOf(source);
		if (!Array.isArray(prototype) || !isObjectPrototype(Object.getPrototypeOf(prototype))) {
			this.fail("JSON_TYPE", "An array of a class of its own");
		}
		const length = Object.getOwnPropertyDescriptor(source, "length")?.value as number;
		if (length > JSON_LIMITS.items) this.#exceed("items");
		const keys = Reflect.ownKeys(source);
		if (keys.length !== length + 1) this.fail("JSON_TYPE", "An array with holes or extra properties");
		const copy: JsonValue[] = [];
		this.#path.push({ source, names: undefined, length, next: 0, copy });
		return copy;
	}

	#openObject(source: object): JsonValue {
		const prototype: unknown = Object.getPrototypeOf(source);
		if (prototype !== null && !isObjectPrototype(prototype)) {
			this.fail("JSON_TYPE", "An object of a class; give plain objects");
		}
		const names: string[] = [];
		for (const key of Reflect.ownKeys(source)) {
			if (typeof key === "symbol") this.fail("JSON_TYPE", "A property with a symbol for a name");
			names.push(key);
		}
		if (names.length > JSON_LIMITS.members) this.#exceed("members");
		const copy: Record<string, JsonValue> = {};
		this.#path.push({ source, names, length: names.length, next: 0, copy });
		return copy;
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

	/** The child that is being read: the last one taken from each frame of the path. */
	#pointer(): string {
		const tokens: (string | number)[] = [];
		for (const { names, next } of this.#path)
			if (next > 0) tokens.push(names === undefined ? next - 1 : names[next - 1]!);
		return this.#place + formatPointer(tokens);
	}
}

/** Whether this is the `Object.prototype` of some realm: nothing above it, and its own `isPrototypeOf`. */
function isObjectPrototype(value: unknown): boolean {
	if (value === Object.prototype) return true;
	if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== null) return false;
	return Object.hasOwn(value, "isPrototypeOf") && Object.hasOwn(value, "hasOwnProperty");
}
