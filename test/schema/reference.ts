/**
 * The work meter of Schema/1 section 4, written a second time straight from the table: pointers are strings, the memo is a
 * map of pairs of pointers, nothing is prepared, nothing is clever. It exists to disagree with the library.
 */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type SchemaObject = { [keyword: string]: Json };

export interface ReferenceVerdict {
	valid: boolean;
	work: number;
	profile: Record<string, number>;
	pairs: Set<string>;
}

const own = (object: Json, name: string): boolean => Object.hasOwn(object as object, name);
const escaped = (token: string | number): string => String(token).replace(/~/g, "~0").replace(/\//g, "~1");
const isObject = (value: Json): value is { [name: string]: Json } =>
	value !== null && typeof value === "object" && !Array.isArray(value);

function hasType(value: Json, name: string): boolean {
	switch (name) {
		case "null":
			return value === null;
		case "array":
			return Array.isArray(value);
		case "object":
			return isObject(value);
		case "integer":
			return typeof value === "number" && value % 1 === 0;
		default:
			return (typeof value as string) === name;
	}
}

/** Evaluates a file's root (whose `$defs` are its own) or an embedded root over `defs`. */
export function referenceEvaluate(schema: Json, instance: Json, defs?: { [name: string]: Json }): ReferenceVerdict {
	const memo = new Map<string, boolean>();
	const profile: Record<string, number> = {};
	let work = 0;
	const charge = (keyword: string, units: number): void => {
		work += units;
		if (units > 0) profile[keyword] = (profile[keyword] ?? 0) + units;
	};
	const definitions = defs ?? (isObject(schema) ? (schema.$defs as { [name: string]: Json } | undefined) : undefined);

	function evaluate(s: Json, sp: string, v: Json, ip: string): boolean {
		const pair = JSON.stringify([sp, ip]);
		const known = memo.get(pair);
		if (known !== undefined) return known;
		charge("pair", 1);
		const valid = typeof s === "boolean" ? s : keywords(s as SchemaObject, sp, v, ip);
		memo.set(pair, valid);
		return valid;
	}

	function keywords(s: SchemaObject, sp: string, v: Json, ip: string): boolean {
		let valid = true;
		const need = (condition: boolean): void => {
			if (!condition) valid = false;
		};
		const child = (keyword: string, token?: string | number): string =>
			token === undefined ? `${sp}/${escaped(keyword)}` : `${sp}/${escaped(keyword)}/${escaped(token)}`;
		const below = (token: string | number): string => `${ip}/${escaped(token)}`;
		const list = (keyword: string): Json[] => s[keyword] as Json[];

		if (own(s, "$ref")) {
			charge("$ref", 1);
			const name = (s.$ref as string).slice("#/$defs/".length);
			need(evaluate(definitions![name]!, `/$defs/${name}`, v, ip));
		}
		if (own(s, "type")) {
			const names = (Array.isArray(s.type) ? s.type : [s.type]) as string[];
			charge("type", names.length);
			need(names.some((name) => hasType(v, name)));
		}
		if (own(s, "const")) {
			charge("const", 1);
			need(v === s.const);
		}
		if (own(s, "enum")) {
			charge("enum", list("enum").length);
			need(list("enum").some((member) => member === v));
		}
		for (const keyword of ["allOf", "anyOf", "oneOf"]) {
			if (!own(s, keyword)) continue;
			charge(keyword, list(keyword).length);
			const results = list(keyword).map((branch, i) => evaluate(branch, child(keyword, i), v, ip));
			const matched = results.filter((result) => result).length;
			if (keyword === "allOf") need(matched === results.length);
			if (keyword === "anyOf") need(matched > 0);
			if (keyword === "oneOf") need(matched === 1);
		}
		if (own(s, "not")) {
			charge("not", 1);
			need(!evaluate(s.not!, child("not"), v, ip));
		}
		if (own(s, "if")) {
			charge("if", 1);
			const selected = evaluate(s.if!, child("if"), v, ip) ? "then" : "else";
			if (own(s, selected)) {
				charge("if", 1);
				need(evaluate(s[selected]!, child(selected), v, ip));
			}
		}
		if (isObject(v)) {
			const members = Object.keys(v);
			if (own(s, "properties")) {
				const declared = Object.entries(s.properties as SchemaObject);
				charge("properties", declared.length);
				for (const [name, sub] of declared)
					if (own(v, name)) need(evaluate(sub, child("properties", name), v[name]!, below(name)));
			}
			if (own(s, "required")) {
				charge("required", list("required").length);
				for (const name of list("required")) need(own(v, name as string));
			}
			if (own(s, "additionalProperties")) {
				charge("additionalProperties", members.length);
				for (const name of members)
					if (!own(s, "properties") || !own(s.properties!, name))
						need(evaluate(s.additionalProperties!, child("additionalProperties"), v[name]!, below(name)));
			}
			if (own(s, "minProperties")) {
				charge("minProperties", 1);
				need(members.length >= (s.minProperties as number));
			}
			if (own(s, "maxProperties")) {
				charge("maxProperties", 1);
				need(members.length <= (s.maxProperties as number));
			}
			if (own(s, "dependentRequired")) {
				const triggers = Object.entries(s.dependentRequired as SchemaObject);
				charge("dependentRequired", triggers.length);
				for (const [trigger, names] of triggers) {
					if (!own(v, trigger)) continue;
					charge("dependentRequired", (names as Json[]).length);
					for (const name of names as string[]) need(own(v, name));
				}
			}
			if (own(s, "dependentSchemas")) {
				const triggers = Object.entries(s.dependentSchemas as SchemaObject);
				charge("dependentSchemas", triggers.length);
				for (const [trigger, sub] of triggers)
					if (own(v, trigger)) need(evaluate(sub, child("dependentSchemas", trigger), v, ip));
			}
		}
		if (Array.isArray(v)) {
			const prefix = own(s, "prefixItems") ? list("prefixItems").length : 0;
			if (own(s, "prefixItems")) {
				charge("prefixItems", prefix);
				for (let i = 0; i < prefix && i < v.length; i++)
					need(evaluate(list("prefixItems")[i]!, child("prefixItems", i), v[i]!, below(i)));
			}
			if (own(s, "items")) {
				charge("items", 1);
				for (let i = prefix; i < v.length; i++) need(evaluate(s.items!, child("items"), v[i]!, below(i)));
			}
			if (own(s, "contains")) {
				charge("contains", v.length);
				let matched = 0;
				for (const [i, item] of v.entries()) if (evaluate(s.contains!, child("contains"), item, below(i))) matched++;
				if (own(s, "minContains")) charge("minContains", 1);
				if (own(s, "maxContains")) charge("maxContains", 1);
				need(matched >= (own(s, "minContains") ? (s.minContains as number) : 1));
				if (own(s, "maxContains")) need(matched <= (s.maxContains as number));
			}
			if (own(s, "minItems")) {
				charge("minItems", 1);
				need(v.length >= (s.minItems as number));
			}
			if (own(s, "maxItems")) {
				charge("maxItems", 1);
				need(v.length <= (s.maxItems as number));
			}
		}
		if (typeof v === "string" && (own(s, "minLength") || own(s, "maxLength"))) {
			const length = [...v].length;
			charge(own(s, "minLength") ? "minLength" : "maxLength", length);
			for (const [keyword, holds] of [
				["minLength", (bound: number) => length >= bound],
				["maxLength", (bound: number) => length <= bound],
			] as const) {
				if (!own(s, keyword)) continue;
				charge(keyword, 1);
				need(holds(s[keyword] as number));
			}
		}
		if (typeof v === "number") {
			for (const [keyword, holds] of [
				["minimum", (bound: number) => v >= bound],
				["exclusiveMinimum", (bound: number) => v > bound],
				["maximum", (bound: number) => v <= bound],
				["exclusiveMaximum", (bound: number) => v < bound],
			] as const) {
				if (!own(s, keyword)) continue;
				charge(keyword, 1);
				need(holds(s[keyword] as number));
			}
		}
		return valid;
	}

	const valid = evaluate(schema, "", instance, "");
	return { valid, work, profile, pairs: new Set(memo.keys()) };
}
