/**
 * An editor for JSON: CodeMirror in a shadow root, where its styles are adopted sheets, which a strict content policy admits.
 * Large, so it is loaded on use.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorSelection, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** A piece of the text that something is to be said about, in UTF-16 units. */
export interface EditorMark {
	readonly from: number;
	readonly to: number;
	readonly message: string;
}

export interface JsonEditor {
	/** Replaces the text, without telling of it. */
	setText(text: string): void;
	setMarks(marks: readonly EditorMark[]): void;
	/** Puts the cursor there, in sight, with the keyboard. */
	select(from: number, to: number): void;
	destroy(): void;
}

export interface JsonEditorOptions {
	/** What a screen reader calls it. */
	readonly label: string;
	readonly text: string;
	readonly onChange: (text: string) => void;
}

const setMarks = StateEffect.define<readonly EditorMark[]>();

/** Where the marks are: they move with the text until new ones come. */
const marks = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update(decorations, { changes, effects, newDoc }) {
		let moved = decorations.map(changes);
		for (const effect of effects) {
			if (!effect.is(setMarks)) continue;
			const within = effect.value
				.map(({ from, to, message }) => ({ from, to: Math.min(to, newDoc.length), message }))
				.filter(({ from, to }) => from < to)
				.sort((a, b) => a.from - b.from || a.to - b.to);
			moved = Decoration.set(
				within.map(({ from, to, message }) =>
					Decoration.mark({ class: "mark", attributes: { title: message } }).range(from, to),
				),
			);
		}
		return moved;
	},
	provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
	{ tag: tags.propertyName, color: "var(--code-name)" },
	{ tag: tags.string, color: "var(--code-text)" },
	{ tag: tags.number, color: "var(--code-number)" },
	{ tag: [tags.bool, tags.null], color: "var(--code-word)" },
]);

const look = EditorView.theme({
	"&": { height: "100%", fontSize: "14px", backgroundColor: "var(--sheet)", color: "var(--ink)" },
	"&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
	".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
	".cm-content": { caretColor: "var(--ink)" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
	"&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-wash)" },
	".mark": {
		backgroundColor: "var(--bad-wash)",
		textDecoration: "underline wavy var(--bad)",
		textUnderlineOffset: "3px",
	},
});

/**
 * Text that replaces a selection is put into the state, not into the document by the browser: that would keep the colour of
 * what it replaces as an inline style, which the content policy refuses.
 */
const replacing = EditorView.domEventHandlers({
	beforeinput(event, view) {
		const { inputType, data, isComposing } = event;
		if (inputType !== "insertText" || data === null || isComposing || view.composing) return false;
		const { from, to } = selectedIn(view);
		if (from === to) return false;
		event.preventDefault();
		const insert = view.state.toText(data);
		const selection = EditorSelection.cursor(from + insert.length);
		view.dispatch({ changes: { from, to, insert }, selection, userEvent: "input.type", scrollIntoView: true });
		return true;
	},
});

/** What is selected in the document, of which the state may not have heard yet; the state's selection where nobody says. */
function selectedIn(view: EditorView): { readonly from: number; readonly to: number } {
	// Chromium tells of selections in a shadow root there; the ranges of its event are empty.
	const { getSelection } = view.root as Partial<DocumentOrShadowRoot & Pick<Document, "getSelection">>;
	const selection = getSelection?.call(view.root as Document);
	const { anchorNode, focusNode, anchorOffset = 0, focusOffset = 0 } = selection ?? {};
	if (!view.contentDOM.contains(anchorNode ?? null) || !view.contentDOM.contains(focusNode ?? null))
		return view.state.selection.main;
	const anchor = view.posAtDOM(anchorNode!, anchorOffset);
	const focus = view.posAtDOM(focusNode!, focusOffset);
	return { from: Math.min(anchor, focus), to: Math.max(anchor, focus) };
}

/** Puts an editor into `host`. Tab leaves it, as everywhere on the page. */
export function createJsonEditor(host: HTMLElement, { label, text, onChange }: JsonEditorOptions): JsonEditor {
	const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
	let quiet = false;
	const view = new EditorView({
		root,
		parent: root,
		state: EditorState.create({
			doc: text,
			extensions: [
				lineNumbers(),
				history(),
				bracketMatching(),
				json(),
				syntaxHighlighting(colours),
				marks,
				look,
				replacing,
				EditorView.lineWrapping,
				keymap.of([...defaultKeymap, ...historyKeymap]),
				EditorView.contentAttributes.of({
					"aria-label": label,
					tabindex: "0",
					spellcheck: "false",
					autocorrect: "off",
				}),
				EditorView.updateListener.of((update) => {
					if (update.docChanged && !quiet) onChange(textOf(update.state));
				}),
			],
		}),
	});
	return {
		setText(next) {
			if (next === textOf(view.state)) return;
			quiet = true;
			view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
			quiet = false;
		},
		setMarks: (next) => view.dispatch({ effects: setMarks.of(next) }),
		select(from, to) {
			const end = view.state.doc.length;
			// In this order: only of an editor that has the focus is the selection put into the document at once.
			view.focus();
			view.dispatch({
				selection: EditorSelection.single(Math.min(from, end), Math.min(to, end)),
				effects: EditorView.scrollIntoView(Math.min(from, end), { y: "center" }),
			});
		},
		destroy: () => view.destroy(),
	};
}

/** CodeMirror keeps lines; a text without its line ends would be another text. */
function textOf(state: EditorState): string {
	return state.sliceDoc();
}
