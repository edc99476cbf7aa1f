/** JSON as indented, coloured text. Everything is text: what is shown can hold no markup. */
import { escapeForDisplay } from "millrace";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { formatBytes } from "../../../parts/format.ts";

/** Characters that are shown; the rest can be copied. */
const SHOWN = 32_768;

/** One word of JSON: a string (a name, where a colon follows), a number, a literal, or what stands between. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|[^"\d\-tfn]+|./gs;

export function JsonView({ text }: { readonly text: string }): JSX.Element {
	const parts = useMemo(() => colour(text.slice(0, SHOWN)), [text]);
	return (
		<>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<pre class="json" tabIndex={0}>
				{parts}
			</pre>
			{text.length > SHOWN && (
				<p class="quiet">
					The first {formatBytes(SHOWN)} of {formatBytes(text.length)} are shown; “Copy” gives all of it.
				</p>
			)}
		</>
	);
}

function colour(text: string): (string | JSX.Element)[] {
	const parts: (string | JSX.Element)[] = [];
	for (const [whole, string, colon, number, literal] of text.matchAll(TOKEN)) {
		if (string !== undefined) {
			const shown = escapeForDisplay(string);
			parts.push(<span class={colon === undefined ? "json-text" : "json-name"}>{shown}</span>);
			if (colon !== undefined) parts.push(colon);
		} else if (number !== undefined) parts.push(<span class="json-number">{number}</span>);
		else if (literal !== undefined) parts.push(<span class="json-word">{literal}</span>);
		else parts.push(whole.replace(/[^\n\t ]+/g, escapeForDisplay));
	}
	return parts;
}
