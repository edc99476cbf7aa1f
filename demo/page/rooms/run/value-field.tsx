/** A JSON value to be typed, with what is wrong with it as one types. */
import type { Signal } from "@preact/signals";
import type { Schema } from "millrace";
import type { JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import type { EditorMark } from "../../parts/editor.ts";
import type { Range } from "../../parts/ranges.ts";
import { useEditor } from "../../parts/use-editor.ts";
import { type CheckedText, checkText, type Problem } from "./check-text.ts";
import { JsonView } from "./trace/json-view.tsx";

export interface ValueFieldProps {
	readonly label: string;
	readonly text: Signal<string>;
	readonly schema: Schema | undefined;
	/** Name of the file that the schema stands in. */
	readonly schemaFile: string;
	/** What stands in it, where it can be shown. */
	readonly schemaText: string | undefined;
	readonly rows?: number;
}

export function ValueField({ label, text, schema, schemaFile, schemaText, rows = 6 }: ValueFieldProps): JSX.Element {
	const id = useId();
	const checked = useMemo(() => checkText(text.value, schema), [text.value, schema]);
	const marks = useMemo(() => marksOf(checked), [checked]);
	const onText = (next: string): void => {
		text.value = next;
	};
	const { host, plain, editor } = useEditor({ label, text: text.value, marks, onText });
	const ready = editor !== undefined;
	const goTo = editor && (({ from, to }: Range): void => editor.select(from, to));
	return (
		<div class="run-field">
			<label for={id}>{label}</label>
			<div class="run-editor" ref={host} hidden={!ready} data-invalid={!checked.ok} />
			{!ready && (
				<textarea
					id={id}
					ref={plain}
					class="run-json"
					rows={rows}
					spellcheck={false}
					autocomplete="off"
					autocapitalize="off"
					value={text.value}
					aria-invalid={!checked.ok}
					aria-describedby={`${id}-verdict`}
					onInput={({ currentTarget }) => onText(currentTarget.value)}
				/>
			)}
			<div id={`${id}-verdict`} aria-live="polite">
				{checked.ok ? (
					<p class="good run-verdict">
						{schema === undefined ? "It is JSON, and any will do." : `Fits ${schemaFile}.`}
					</p>
				) : (
					<ul class="run-problems">
						{checked.problems.map((problem) => (
							<li key={`${problem.where} ${problem.message}`}>
								<Where problem={problem} goTo={goTo} /> {problem.message}
							</li>
						))}
						{checked.more && <li>And more.</li>}
					</ul>
				)}
			</div>
			{schemaText !== undefined && (
				<details class="run-schema">
					<summary>{schemaFile}</summary>
					<JsonView text={schemaText.replaceAll("\t", "  ").trim()} />
				</details>
			)}
		</div>
	);
}

function marksOf(checked: CheckedText): readonly EditorMark[] {
	if (checked.ok) return [];
	return checked.problems.flatMap(({ range, message }) => (range === undefined ? [] : [{ ...range, message }]));
}

interface WhereProps {
	readonly problem: Problem;
	readonly goTo: ((range: Range) => void) | undefined;
}

function Where({ problem: { where, range }, goTo }: WhereProps): JSX.Element | null {
	if (where === "") return null;
	if (range === undefined || goTo === undefined) return <code>{where}</code>;
	return (
		<button type="button" class="run-where" onClick={() => goTo(range)}>
			{where}
		</button>
	);
}
