/** Scalars whose text the `yaml` package gets wrong, resolved again from their source. */

import { CST, type Scalar } from "yaml";

/**
 * The text of a composed scalar (which keeps its source token). Two constructs are resolved anew, through the same package from
 * a source it reads rightly:
 *
 * - empty lines after an escaped line break are line feeds (YAML 1.2 section 7.3.1), the first one too;
 * - under an explicit indentation indicator, a line of spaces that goes beyond it is content (sections 8.1.1.1 and 8.1.2),
 *   at the end of the scalar too.
 */
export function textOf(text: string, scalar: Scalar): string {
	const token = scalar.srcToken as CST.Token | undefined;
	if (token?.type === "double-quoted-scalar" && ESCAPED_BREAK.test(token.source)) {
		return CST.resolveAsScalar({ ...token, source: withLineFeeds(token.source), end: [] }).value;
	}
	if (token?.type === "block-scalar") return blockText(text, token) ?? (scalar.value as string);
	return scalar.value as string;
}

const ESCAPED_BREAK = /\\\r?\n[ \t]*\r?\n/;

/** Takes escapes one by one, so that an escaped backslash escapes nothing. */
function withLineFeeds(source: string): string {
	return source.replace(/\\(?:\r?\n((?:[ \t]*\r?\n)+)|[\s\S])/g, (escaped, empty: string | undefined) =>
		empty === undefined ? escaped : `${"\\n".repeat(empty.split("\n").length - 1)}\\\n`,
	);
}

/** Stands for content at the end of a line of spaces; no scalar holds it, because it isn't printable. */
const END = "\0";

/** The text of a block scalar with an indentation indicator and a line of more spaces; undefined for any other. */
function blockText(text: string, token: CST.BlockScalar): string | undefined {
	const header = token.props.find(({ type }) => type === "block-scalar-header") as CST.SourceToken | undefined;
	const indicator = header && /[1-9]/.exec(header.source)?.[0];
	if (indicator === undefined) return undefined;
	const indent = token.indent + Number(indicator);
	const lines: string[] = [];
	let found = false;
	// From the text: the token's source ends before lines of spaces that look like nothing.
	for (let at = text.indexOf("\n", header!.offset) + 1; at > 0 && at < text.length; ) {
		const newline = text.indexOf("\n", at);
		const end = newline < 0 ? text.length : newline + 1;
		const line = text.slice(at, end);
		const spaces = /^ */.exec(line)![0].length;
		const isEmpty = /^ *\r?\n?$/.test(line);
		if (!isEmpty && spaces < indent) break;
		if (isEmpty && spaces > indent) found = true;
		lines.push(isEmpty && spaces > indent ? `${line.slice(0, spaces)}${END}${line.slice(spaces)}` : line);
		at = end;
	}
	if (!found) return undefined;
	return CST.resolveAsScalar({ ...token, source: lines.join("") }).value.replaceAll(END, "");
}
