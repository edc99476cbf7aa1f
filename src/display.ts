/**
 * Characters that change how text around them is shown: C0 and C1 controls, DEL, line and paragraph separators,
 * bidirectional and invisible format characters, and surrogates without a partner.
 */
const UNSAFE =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udc7f]/g;

/**
 * Text from a package, a path or a component, made safe to show on one line: every control, bidirectional or invisible
 * character is written as `\u{hex}`, so nothing that was read can move the cursor, colour the line or reorder it.
 */
export function escapeForDisplay(text: string): string {
	return text.replace(UNSAFE, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
}

/** Like {@link escapeForDisplay}, cut after `scalars` characters with an ellipsis, in double quotes. */
export function quoteForDisplay(text: string, scalars = 80): string {
	let cut = text.slice(0, scalars * 2);
	const points = Array.from(cut);
	cut = points.slice(0, scalars).join("");
	return `"${escapeForDisplay(cut)}${cut.length < text.length ? "…" : ""}"`;
}
