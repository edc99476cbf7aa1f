/** One side: an editor, and a way to open a file into it. A plain text field stands there until the editor is loaded. */
import { JSON_LIMITS } from "millrace";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { EditorMark } from "../../parts/editor.ts";
import { formatBytes } from "../../parts/format.ts";
import { useEditor } from "../../parts/use-editor.ts";
import { type Content, textOf } from "./check.ts";

export interface PaneProps {
	readonly title: string;
	readonly content: Content;
	readonly marks: readonly EditorMark[];
	/** A place to go to; a new object each time it is asked for. */
	readonly selected: { readonly from: number; readonly to: number } | undefined;
	readonly onContent: (content: Content) => void;
	readonly children?: ComponentChildren;
}

export function Pane({ title, content, marks, selected, onContent, children }: PaneProps): JSX.Element {
	const text = useMemo(() => textOf(content), [content]);
	const { host, plain, editor, failed } = useEditor({ label: title, text, marks, onText: onContent });
	const [fault, setFault] = useState<string | undefined>();
	useEffect(() => {
		if (selected !== undefined) editor?.select(selected.from, selected.to);
	}, [selected]);

	const open = async (file: File | undefined): Promise<void> => {
		if (file === undefined) return;
		if (file.size > JSON_LIMITS.bytes)
			setFault(`${file.name} has ${formatBytes(file.size)}; JSON/1 admits ${formatBytes(JSON_LIMITS.bytes)}.`);
		else {
			setFault(undefined);
			onContent(new Uint8Array(await file.arrayBuffer()));
		}
	};
	return (
		<section
			class="pane"
			aria-label={title}
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault();
				void open(event.dataTransfer?.files[0]);
			}}
		>
			<div class="row spread">
				<h2>{title}</h2>
				<span class="row">
					{children}
					<FileButton title={title} onFile={(file) => void open(file)} />
				</span>
			</div>
			<div class="editor" ref={host} hidden={editor === undefined} />
			{editor === undefined && (
				<textarea
					ref={plain}
					class="editor"
					aria-label={title}
					spellcheck={false}
					value={text}
					onInput={({ currentTarget }) => onContent(currentTarget.value)}
				/>
			)}
			{failed && <p class="quiet">The editor could not be loaded; this plain field does the same.</p>}
			{fault !== undefined && (
				<p class="bad" role="alert">
					{fault}
				</p>
			)}
		</section>
	);
}

function FileButton({
	title,
	onFile,
}: {
	readonly title: string;
	readonly onFile: (file: File | undefined) => void;
}): JSX.Element {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<button type="button" class="plain copy" onClick={() => input.current?.click()}>
				Open a file
			</button>
			<input
				ref={input}
				type="file"
				hidden
				aria-label={`${title}: a file`}
				onChange={({ currentTarget }) => {
					onFile(currentTarget.files?.[0]);
					currentTarget.value = "";
				}}
			/>
		</>
	);
}
