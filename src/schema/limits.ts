/** The `$schema` of every Schema/1 file (Schema/1 section 3). */
export const SCHEMA_URI = "https://flow.jig.md/schemas/schema-1.json";

/**
 * Schema/1 section 4: inclusive maxima.
 *
 * - `bytes`: UTF-8 bytes of one schema file.
 * - `depth`: levels of schemas, a file's root at 1, its definitions at 2.
 * - `nodes`: schemas, that is objects and booleans in schema positions.
 * - `work`: units of one validation.
 */
export const SCHEMA_LIMITS: {
	readonly bytes: 262_144;
	readonly depth: 64;
	readonly nodes: 4_096;
	readonly work: 1_000_000;
} = { bytes: 262_144, depth: 64, nodes: 4_096, work: 1_000_000 };

/** The name of one Schema/1 limit. */
export type SchemaLimitName = keyof typeof SCHEMA_LIMITS;

/**
 * How many diagnostics one evaluation reports at most. The specification asks for one; a budget of a million units could
 * produce half a million.
 */
export const DIAGNOSTICS_MAX = 1_024;

const UNITS: { readonly [name in SchemaLimitName]: string } = {
	bytes: "UTF-8 bytes in a schema file",
	depth: "levels of nested schemas",
	nodes: "schemas in one file or descriptor",
	work: "work units in one validation",
};

/** The sentence that says which bound was crossed. */
export function limitMessage(name: SchemaLimitName): string {
	return `More than ${SCHEMA_LIMITS[name]} ${UNITS[name]}`;
}
