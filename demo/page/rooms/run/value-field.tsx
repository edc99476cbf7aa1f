/** A JSON value to be typed, with what is wrong with it as one types. */
import type { Signal } from "@preact/signals";
import type { Schema } from "millrace";
import type { JSX, RefObject } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { JsonEditor } from "../../parts/editor.ts";
import type { Range } from "../playground/ranges.ts";
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
	const { host, plain, ready, goTo } = useEditor(label, text, checked);
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
					onInput={({ currentTarget }) => {
						text.value = currentTarget.value;
					}}
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

interface Editing {
	readonly host: RefObject<HTMLDivElement | null>;
	readonly plain: RefObject<HTMLTextAreaElement | null>;
	/** The editor stands there in place of the plain field. */
	readonly ready: boolean;
	/** Selects a piece of the text in it. */
	readonly goTo: ((range: Range) => void) | undefined;
}

/** Puts the editor where the plain field is as soon as it is loaded; where it can't be, the field does as well. */
function useEditor(label: string, text: Signal<string>, checked: CheckedText): Editing {
	const host = useRef<HTMLDivElement>(null);
	const plain = useRef<HTMLTextAreaElement>(null);
	const editor = useRef<JsonEditor | undefined>(undefined);
	const [ready, setReady] = useState(false);
	useEffect(() => {
		let left = false;
		const put = ({ createJsonEditor }: typeof import("../../parts/editor.ts")): void => {
			if (left || host.current === null) return;
			const field = document.activeElement === plain.current ? plain.current : null;
			const made = createJsonEditor(host.current, {
				label,
				text: text.value,
				onChange: (next) => {
					text.value = next;
				},
			});
			editor.current = made;
			setReady(true);
			// Who was typing goes on typing.
			if (field !== null) setTimeout(() => made.select(field.selectionStart, field.selectionEnd));
		};
		import("../../parts/editor.ts").then(put, () => undefined);
		return () => {
			left = true;
			editor.current?.destroy();
			editor.current = undefined;
		};
	}, [label, text]);
	useEffect(() => editor.current?.setText(text.value), [text.value, ready]);
	useEffect(() => {
		const marks = checked.ok
			? []
			: checked.problems.flatMap(({ range, message }) => (range ? [{ ...range, message }] : []));
		editor.current?.setMarks(marks);
	}, [checked, ready]);
	const goTo = ready ? ({ from, to }: Range): void => editor.current?.select(from, to) : undefined;
	return { host, plain, ready, goTo };
}
