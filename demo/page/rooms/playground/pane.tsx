/** One side: an editor, and a way to open a file into it. A plain text field stands there until the editor is loaded. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditorMark, JsonEditor } from "../../parts/editor.ts";
import { formatBytes } from "../../parts/format.ts";
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

/** Bytes of a file that is opened: JSON/1 admits no more. */
const MAX_FILE = 16_777_216;

export function Pane({ title, content, marks, selected, onContent, children }: PaneProps): JSX.Element {
	const host = useRef<HTMLDivElement>(null);
	const editor = useRef<JsonEditor | undefined>(undefined);
	const [ready, setReady] = useState(false);
	const [fault, setFault] = useState<string | undefined>();
	const tell = useRef(onContent);
	tell.current = onContent;
	const now = useRef(content);
	now.current = content;

	useEffect(() => {
		let left = false;
		import("../../parts/editor.ts").then(
			({ createJsonEditor }) => {
				if (left || host.current === null) return;
				editor.current = createJsonEditor(host.current, {
					label: title,
					text: textOf(now.current),
					onChange: (text) => tell.current(text),
				});
				setReady(true);
			},
			() => setFault("The editor could not be loaded; this plain field does the same."),
		);
		return () => {
			left = true;
			editor.current?.destroy();
		};
	}, [title]);
	// An edit comes back as the content that the editor has already.
	useEffect(() => editor.current?.setText(textOf(content)), [content, ready]);
	useEffect(() => editor.current?.setMarks(marks), [marks, ready]);
	useEffect(() => {
		if (selected !== undefined) editor.current?.select(selected.from, selected.to);
	}, [selected]);

	const open = async (file: File | undefined): Promise<void> => {
		if (file === undefined) return;
		if (file.size > MAX_FILE) setFault(`${file.name} has ${formatBytes(file.size)}; JSON/1 admits 16 MiB.`);
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
			<div class="editor" ref={host} hidden={!ready} />
			{!ready && (
				<textarea
					class="editor"
					aria-label={title}
					spellcheck={false}
					value={textOf(content)}
					onInput={({ currentTarget }) => onContent(currentTarget.value)}
				/>
			)}
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
