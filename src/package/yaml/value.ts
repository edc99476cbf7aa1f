/** From the composed document to a JSON value: Metadata/1's own scalar resolution, keys and bounds (Package/1 section 2). */

import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { appendPointer, JSON_LIMITS, type JsonValue } from "../../json/index.ts";
import { PACKAGE_LIMITS } from "../limits.ts";
import { refuseAt } from "./place.ts";
import { textOf } from "./scalars.ts";

/** A value and where in the frontmatter its parts stand: pointer to the offset of a member's key, or of an item. */
export interface Located {
	readonly value: JsonValue;
	readonly offsets: ReadonlyMap<string, number>;
}

/**
 * Resolves a composed node (undefined for an empty document). Exact plain `null`, `true`, `false` and RFC 8259 numbers
 * become their JSON values, all other scalars strings; the empty plain scalar is the empty string. Keys must be strings,
 * `<<` must be quoted, no key may repeat. Bounds: depth 16 with the root at 1, 4,096 value nodes, 256 entries, 256 items.
 *
 * Throws `PACKAGE_YAML_INVALID` and `PACKAGE_LIMIT_EXCEEDED` at the place. The value still has to pass JSON/1.
 */
export function resolveNode(text: string, node: unknown): Located {
	const resolver = new Resolver(text);
	return { value: resolver.resolve(node, "", 1, 0), offsets: resolver.offsets };
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

class Resolver {
	readonly #text: string;
	readonly offsets: Map<string, number> = new Map();
	#nodes = 0;

	constructor(text: string) {
		this.#text = text;
	}

	/** Recursion is bounded by the metadata depth, 16. */
	resolve(node: unknown, pointer: string, depth: number, fallback: number): JsonValue {
		const offset = startOf(node) ?? fallback;
		if (depth > PACKAGE_LIMITS.metadataDepth) throw this.#exceed("metadataDepth", "levels of nesting", offset);
		if (++this.#nodes > PACKAGE_LIMITS.metadataNodes) throw this.#exceed("metadataNodes", "values", offset);
		if (node === null || node === undefined) return "";
		if (isScalar(node)) return this.#scalar(node, offset);
		if (isMap(node)) return this.#map(node, pointer, depth, offset);
		if (isSeq(node)) return this.#sequence(node, pointer, depth, offset);
		throw refuseAt(this.#text, offset, "This YAML construct is not part of FLOW.md.");
	}

	#map(map: YAMLMap, pointer: string, depth: number, offset: number): JsonValue {
		if (map.items.length > PACKAGE_LIMITS.mapEntries) throw this.#exceed("mapEntries", "entries in one map", offset);
		const entries = new Map<string, JsonValue>();
		for (const pair of map.items) {
			const at = startOf(pair.key) ?? offset;
			const key = this.#key(pair, at);
			if (entries.has(key)) throw refuseAt(this.#text, at, `The key ${JSON.stringify(key)} occurs twice in one map.`);
			const place = appendPointer(pointer, key);
			this.offsets.set(place, at);
			entries.set(key, this.resolve(pair.value, place, depth + 1, at));
		}
		// Own data properties whatever the names are: `__proto__` is one of them.
		return Object.fromEntries(entries);
	}

	#sequence(sequence: YAMLSeq, pointer: string, depth: number, offset: number): JsonValue {
		if (sequence.items.length > PACKAGE_LIMITS.sequenceItems) {
			throw this.#exceed("sequenceItems", "items in one sequence", offset);
		}
		return sequence.items.map((item, index) => {
			const place = appendPointer(pointer, index);
			const at = startOf(item) ?? offset;
			this.offsets.set(place, at);
			return this.resolve(item, place, depth + 1, at);
		});
	}

	#key(pair: Pair, offset: number): string {
		const key = pair.key;
		if (key === null || key === undefined) return "";
		const resolved = isScalar(key) ? this.#scalar(key, offset) : undefined;
		if (typeof resolved !== "string") {
			throw refuseAt(this.#text, offset, "Mapping keys are strings: put quotes around null, true, false and numbers.");
		}
		if (resolved === "<<" && isPlain(key as Scalar)) {
			throw refuseAt(this.#text, offset, 'Merge keys are not part of FLOW.md; quote "<<" to use it as a name.');
		}
		return resolved;
	}

	#scalar(scalar: Scalar, offset: number): JsonValue {
		const source = textOf(this.#text, scalar);
		if (!isPlain(scalar)) return source;
		if (source === "null") return null;
		if (source === "true") return true;
		if (source === "false") return false;
		if (!JSON_NUMBER.test(source)) return source;
		if (source.length > JSON_LIMITS.numberBytes) {
			const limit = { name: "numberBytes", max: JSON_LIMITS.numberBytes };
			throw refuseAt(this.#text, offset, `A number is longer than ${limit.max} characters.`, "PACKAGE_LIMIT_EXCEEDED", {
				limit,
			});
		}
		return Number(source);
	}

	#exceed(name: keyof typeof PACKAGE_LIMITS, what: string, offset: number): Error {
		const max = PACKAGE_LIMITS[name];
		return refuseAt(this.#text, offset, `More than ${max} ${what}.`, "PACKAGE_LIMIT_EXCEEDED", {
			limit: { name, max },
		});
	}
}

function isPlain(scalar: Scalar): boolean {
	return scalar.type === "PLAIN";
}

function startOf(node: unknown): number | undefined {
	return (node as { range?: readonly number[] } | null | undefined)?.range?.[0];
}
