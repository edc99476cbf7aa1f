/** The keywords that compare something of an instance with a number. */

import { ARRAY, type Kind, NUMBER, OBJECT, STRING } from "./kinds.ts";
import type { Keyword } from "./node.ts";

const atLeast = (measure: number, bound: number): boolean => measure >= bound;
const atMost = (measure: number, bound: number): boolean => measure <= bound;

/** In the order in which they are reported; `#` in a sentence stands for the bound. */
export const RANGES: readonly {
	readonly kind: Kind;
	readonly keyword: Keyword;
	readonly holds: (measure: number, bound: number) => boolean;
	readonly sentence: string;
}[] = [
	{ kind: OBJECT, keyword: "minProperties", holds: atLeast, sentence: "Fewer than # members" },
	{ kind: OBJECT, keyword: "maxProperties", holds: atMost, sentence: "More than # members" },
	{ kind: ARRAY, keyword: "minItems", holds: atLeast, sentence: "Fewer than # items" },
	{ kind: ARRAY, keyword: "maxItems", holds: atMost, sentence: "More than # items" },
	{ kind: STRING, keyword: "minLength", holds: atLeast, sentence: "Shorter than # characters" },
	{ kind: STRING, keyword: "maxLength", holds: atMost, sentence: "Longer than # characters" },
	{ kind: NUMBER, keyword: "minimum", holds: atLeast, sentence: "Less than #" },
	{ kind: NUMBER, keyword: "exclusiveMinimum", holds: (n, bound) => n > bound, sentence: "Not more than #" },
	{ kind: NUMBER, keyword: "maximum", holds: atMost, sentence: "More than #" },
	{ kind: NUMBER, keyword: "exclusiveMaximum", holds: (n, bound) => n < bound, sentence: "Not less than #" },
];
