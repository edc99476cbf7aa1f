/** The JSON editor in place of a plain field as soon as it is loaded; where it can't be, the field does the same. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EditorMark, JsonEditor } from "./editor.ts";

export interface EditorProps {
	/** What a screen reader calls it. */
	readonly label: string;
	readonly text: string;
	readonly marks: readonly EditorMark[];
	readonly onText: (text: string) => void;
}

export interface EditorPlace {
	/** The element that the editor stands in. */
	readonly host: RefObject<HTMLDivElement | null>;
	/** The field that stands there until `editor` does. */
	readonly plain: RefObject<HTMLTextAreaElement | null>;
	readonly editor: JsonEditor | undefined;
	/** It could not be loaded, and the field stays. */
	readonly failed: boolean;
}

export function useEditor({ label, text, marks, onText }: EditorProps): EditorPlace {
	const host = useRef<HTMLDivElement>(null);
	const plain = useRef<HTMLTextAreaElement>(null);
	const [editor, setEditor] = useState<JsonEditor | undefined>();
	const [failed, setFailed] = useState(false);
	// The editor is made once; it has to begin with the latest text, and to tell whoever listens by then.
	const latest = useRef({ text, onText });
	latest.current = { text, onText };
	/** What the editor has told and has not got back yet: whoever types quickly is further on by then. */
	const told = useRef<string[]>([]);
	useEffect(() => {
		let left = false;
		let made: JsonEditor | undefined;
		const put = ({ createJsonEditor }: typeof import("./editor.ts")): void => {
			if (left || host.current === null) return;
			const typing = document.activeElement === plain.current ? plain.current : null;
			const editor = createJsonEditor(host.current, {
				label,
				text: latest.current.text,
				onChange: (next) => {
					told.current.push(next);
					latest.current.onText(next);
				},
			});
			made = editor;
			setEditor(editor);
			// Who was typing goes on typing.
			if (typing !== null) setTimeout(() => editor.select(typing.selectionStart, typing.selectionEnd));
		};
		import("./editor.ts").then(put, () => left || setFailed(true));
		return () => {
			left = true;
			made?.destroy();
		};
	}, [label]);
	useEffect(() => {
		const at = told.current.indexOf(text);
		told.current.splice(0, at < 0 ? told.current.length : at + 1);
		// A text of the editor's own is older than what it has by now, or the same.
		if (at < 0) editor?.setText(text);
	}, [text, editor]);
	useEffect(() => editor?.setMarks(marks), [marks, editor]);
	return { host, plain, editor, failed };
}
