/** A JSON value to be typed, with what is wrong with it as one types. */
import type { Signal } from "@preact/signals";
import type { Schema } from "millrace";
import type { JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import { checkText } from "./check-text.ts";

export interface ValueFieldProps {
	readonly label: string;
	readonly text: Signal<string>;
	readonly schema: Schema | undefined;
	/** Name of the file that the schema stands in. */
	readonly schemaFile: string;
	readonly rows?: number;
}

export function ValueField({ label, text, schema, schemaFile, rows = 6 }: ValueFieldProps): JSX.Element {
	const id = useId();
	const checked = useMemo(() => checkText(text.value, schema), [text.value, schema]);
	return (
		<div class="run-field">
			<label for={id}>{label}</label>
			<textarea
				id={id}
				class="run-json"
				rows={rows}
				spellcheck={false}
				autocomplete="off"
				autocapitalize="off"
				value={text.value}
				aria-invalid={!checked.ok}
				aria-describedby={`${id}-verdict`}
				onInput={({ currentTarget }) => {
					text.value = currentTarget.value;
				}}
			/>
			<div id={`${id}-verdict`} aria-live="polite">
				{checked.ok ? (
					<p class="good run-verdict">
						{schema === undefined ? "It is JSON, and any will do." : `Fits ${schemaFile}.`}
					</p>
				) : (
					<ul class="run-problems">
						{checked.problems.map(({ where, message }) => (
							<li key={`${where} ${message}`}>
								{where !== "" && <code>{where}</code>} {message}
							</li>
						))}
						{checked.more && <li>And more.</li>}
					</ul>
				)}
			</div>
		</div>
	);
}
