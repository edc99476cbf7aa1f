/** FLOW.md's YAML (Package/1 section 2): YAML 1.2's JSON schema, closed and bounded. The only door to the `yaml` package. */

import { Composer, type CST, type Document } from "yaml";
import { admitJson, JsonError } from "../../json/index.ts";
import { refuseAt } from "./place.ts";
import { checkStructure } from "./structure.ts";
import { readTokens } from "./tokens.ts";
import { type Located, resolveNode } from "./value.ts";

/**
 * Reads frontmatter as one JSON/1 value with places. `source` is at most 262,144 bytes of text, well-formed.
 *
 * Guard first (`tokens.ts`), then the composer, which alone knows the whole grammar; any error or warning of it refuses.
 * A lone CR is a line break in YAML 1.2 and is read as one. Throws `PackageError`: `PACKAGE_YAML_INVALID`,
 * `PACKAGE_LIMIT_EXCEEDED`, `PACKAGE_METADATA_INVALID` (no JSON/1 value), with line and column.
 */
export function readYaml(source: string): Located & { readonly text: string } {
	const text = source.replace(/\r(?!\n)/g, "\n");
	const tokens = readTokens(text);
	checkStructure(text, tokens);
	const located = resolveNode(text, compose(text, tokens)?.contents);
	try {
		return { text, value: admitJson(located.value), offsets: located.offsets };
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		const pointer = error.pointer ?? "";
		throw refuseAt(text, located.offsets.get(pointer) ?? 0, error.message, "PACKAGE_METADATA_INVALID", {
			pointer,
			cause: error,
		});
	}
}

/**
 * `failsafe` leaves every scalar a string for our own resolution; `uniqueKeys` is off because its check is quadratic (ours
 * isn't); `strict` keeps YAML's own rules about tabs, comments and long implicit keys; `textOf` looks at source tokens.
 */
const OPTIONS = {
	schema: "failsafe",
	version: "1.2",
	merge: false,
	uniqueKeys: false,
	strict: true,
	keepSourceTokens: true,
} as const;

function compose(text: string, tokens: readonly CST.Token[]): Document | undefined {
	const composer = new Composer(OPTIONS);
	const documents: Document[] = [];
	for (const token of tokens) {
		for (const document of composer.next(token)) documents.push(document);
	}
	for (const document of composer.end()) documents.push(document);
	const stream = composer.streamInfo();
	for (const { errors, warnings } of [stream, ...documents]) {
		const fault = errors[0] ?? warnings[0];
		if (fault !== undefined)
			throw refuseAt(text, fault.pos[0], fault.message, "PACKAGE_YAML_INVALID", { cause: fault });
	}
	return documents[0];
}
