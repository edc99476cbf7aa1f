import { canonicalize, type JsonValue } from "millrace";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { sha256Of } from "../../parts/bytes.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { count, formatBytes } from "../../parts/format.ts";

/** Characters of the canonical text that are shown. */
const SHOWN = 10_000;

/** The instance's canonical bytes (RFC 8785) and their digest, made when somebody looks. */
export function Canonical({ value }: { readonly value: JsonValue }): JSX.Element {
	const [open, setOpen] = useState(false);
	return (
		<details class="sheet" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
			<summary>Canonical bytes and digest of the instance</summary>
			{open && <Bytes value={value} />}
		</details>
	);
}

function Bytes({ value }: { readonly value: JsonValue }): JSX.Element {
	const bytes = canonicalize(value);
	const digest = sha256Of(bytes);
	const text = new TextDecoder().decode(bytes);
	return (
		<>
			<p class="canonical-digest">
				<code data-testid="canonical-digest">{digest}</code> <CopyButton text={digest} label="Copy digest" />
			</p>
			<p class="quiet">
				{count(bytes.length, "byte")}
				{bytes.length >= 1_024 && ` (${formatBytes(bytes.length)})`} <CopyButton text={text} label="Copy text" />
			</p>
			<pre class="canonical">{text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</pre>
		</>
	);
}
