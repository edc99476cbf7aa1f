import type { Digest, Schema } from "millrace";

/** One of the three conventional schemas, as far as it is shown. */
export interface SchemaFacts {
	readonly name: "input" | "settings" | "result";
	readonly present: boolean;
	readonly nodes: number;
	readonly depth: number;
	/** The SHA-256 of the file. */
	readonly sha256: Digest | undefined;
	/** The root's own words for people. */
	readonly title: string | undefined;
	readonly description: string | undefined;
	/** Its text, indented. */
	readonly text: string | undefined;
}

export function describeSchema(
	name: SchemaFacts["name"],
	schema: Schema | undefined,
	bytes: Uint8Array | undefined,
	sha256: Digest | undefined,
): SchemaFacts {
	const text = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
	const root = rootOf(text);
	const said = (member: string): string | undefined => {
		const value = root[member];
		return typeof value === "string" ? value : undefined;
	};
	return {
		name,
		present: schema !== undefined,
		nodes: schema?.nodes ?? 0,
		depth: schema?.depth ?? 0,
		sha256,
		title: said("title"),
		description: said("description"),
		text,
	};
}

/** The schema was compiled by then; only one that was cut off is no JSON here. */
function rootOf(text: string | undefined): Readonly<Record<string, unknown>> {
	try {
		return Object.assign(Object.create(null), JSON.parse(text ?? "{}"));
	} catch {
		return {};
	}
}
