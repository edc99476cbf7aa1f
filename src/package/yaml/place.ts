import { escapeForDisplay } from "../../display.ts";
import { scalarLength } from "../../text.ts";
import { PackageError, type PackageErrorCode } from "../error.ts";
import { FLOW_MD } from "../frontmatter.ts";

/** The frontmatter begins after the opening delimiter line. */
const FIRST_LINE = 2;

/** Line and column (1-based, in Unicode scalars) in FLOW.md of a UTF-16 offset in its frontmatter. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
	const before = text.slice(0, offset);
	let line = FIRST_LINE;
	for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line += 1;
	const column = scalarLength(before.slice(before.lastIndexOf("\n") + 1)) + 1;
	return { line, column };
}

/** A refusal at an offset of the frontmatter; `found` may quote the file, so it is cut and made safe to show. */
export function refuseAt(
	text: string,
	offset: number,
	message: string,
	code: PackageErrorCode = "PACKAGE_YAML_INVALID",
	more: { readonly pointer?: string; readonly limit?: { name: string; max: number }; readonly cause?: unknown } = {},
): PackageError {
	const { line, column } = placeAt(text, offset);
	const said = escapeForDisplay(message.slice(0, 400));
	return new PackageError(code, `FLOW.md line ${line}, column ${column}: ${said}`, {
		...more,
		path: FLOW_MD,
		line,
		column,
	});
}
