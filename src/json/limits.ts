/**
 * JSON/1 "Absolute value limits": inclusive maxima of one encoded document or frame.
 *
 * - `bytes`: UTF-8 bytes of the source; of a host value, bytes of its compact encoding.
 * - `depth`: the root is 1 and scalars count.
 * - `nodes`: every value, the root included; member names are no nodes.
 * - `members`, `items`: of one object, of one array.
 * - `stringBytes`, `nameBytes`: UTF-8 bytes of the decoded text.
 * - `numberBytes`: every byte of one number token, sign and exponent included.
 */
export const JSON_LIMITS: {
	readonly bytes: 16_777_216;
	readonly depth: 128;
	readonly nodes: 262_144;
	readonly members: 65_536;
	readonly items: 65_536;
	readonly stringBytes: 8_388_608;
	readonly nameBytes: 1_024;
	readonly numberBytes: 128;
} = {
	bytes: 16_777_216,
	depth: 128,
	nodes: 262_144,
	members: 65_536,
	items: 65_536,
	stringBytes: 8_388_608,
	nameBytes: 1_024,
	numberBytes: 128,
};

/** The name of one JSON/1 limit. */
export type JsonLimitName = keyof typeof JSON_LIMITS;

/** What one unit of each limit is, for messages. */
const UNITS: { readonly [name in JsonLimitName]: string } = {
	bytes: "UTF-8 bytes in one document",
	depth: "levels of nesting",
	nodes: "values in one document",
	members: "members in one object",
	items: "items in one array",
	stringBytes: "UTF-8 bytes in one string",
	nameBytes: "UTF-8 bytes in one member name",
	numberBytes: "bytes in one number",
};

/** The sentence that says which bound was crossed. */
export function limitMessage(name: JsonLimitName): string {
	return `More than ${JSON_LIMITS[name]} ${UNITS[name]}`;
}
