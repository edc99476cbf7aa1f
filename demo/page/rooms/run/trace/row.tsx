import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { formatBytes, formatDuration } from "../../../parts/format.ts";
import { contentOf } from "./content.ts";
import { JsonView } from "./json-view.tsx";
import type { Row, SequenceModel } from "./model.ts";
import { nameOf, spoken, timeOf } from "./spoken.ts";

/** Where a row is drawn, in pixels. `xOf` gives the middle of a lane's column. */
export interface Place {
	readonly top: number;
	readonly xOf: (lane: number) => number;
	/** As a list: words in place of lanes. */
	readonly listed: boolean;
}

export interface RowViewProps {
	readonly model: SequenceModel;
	readonly index: number;
	readonly place: Place;
	/** Which of how many rows are shown. */
	readonly position: number;
	readonly count: number;
	readonly open: boolean;
	/** The one row that the Tab key stops at. */
	readonly active: boolean;
	readonly onToggle: () => void;
	readonly onHeight: (height: number) => void;
	readonly onGoTo: (row: number) => void;
}

export function RowView(props: RowViewProps): JSX.Element {
	const { model, index, place, position, count, open, active, onToggle } = props;
	const row = model.rows[index]!;
	return (
		<li
			class={`seq-row ${row.kind}${open ? " open" : ""}`}
			style={{ top: `${place.top}px` }}
			aria-setsize={count}
			aria-posinset={position}
		>
			<button
				type="button"
				class="seq-line"
				data-row={index}
				aria-expanded={open}
				tabIndex={active ? 0 : -1}
				onClick={onToggle}
			>
				<span class="unseen">
					{timeOf(row.atMs)} ms, {spoken(row, model.lanes)}
				</span>
				<span class="seq-time" aria-hidden="true">
					{timeOf(row.atMs)}
				</span>
				{place.listed ? <Words row={row} model={model} /> : <Arrow row={row} xOf={place.xOf} />}
			</button>
			{open && <Detail {...props} row={row} />}
		</li>
	);
}

function Words({ row, model: { lanes } }: { readonly row: Row; readonly model: SequenceModel }): JSX.Element {
	return (
		<span class="seq-words" aria-hidden="true">
			<span class="seq-ends">
				{nameOf(lanes[row.from])}
				{row.from !== row.to && <> → {nameOf(lanes[row.to])}</>}
			</span>
			<span class="seq-label">{row.label}</span>
		</span>
	);
}

function Arrow({ row, xOf }: { readonly row: Row; readonly xOf: (lane: number) => number }): JSX.Element {
	const [from, to] = [xOf(row.from), xOf(row.to)];
	// Lanes that were folded together have one column: what passes between them is a mark on it.
	if (from === to)
		return (
			<span class="seq-mark" aria-hidden="true" style={{ left: `${from}px` }}>
				<span class="seq-label">{row.label}</span>
			</span>
		);
	return (
		<span
			class={`seq-arrow ${to > from ? "right" : "left"}`}
			aria-hidden="true"
			style={{ left: `${Math.min(from, to)}px`, width: `${Math.abs(to - from)}px` }}
		>
			<span class="seq-label">{row.label}</span>
		</span>
	);
}

function Detail({ model, index, row, onHeight, onGoTo }: RowViewProps & { readonly row: Row }): JSX.Element {
	const box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const element = box.current;
		if (element === null) return undefined;
		const tell = (): void => onHeight(element.offsetHeight);
		const observer = new ResizeObserver(tell);
		observer.observe(element);
		tell();
		return () => observer.disconnect();
	});
	const { title, json, bytes, text } = contentOf(model, row);
	const pair = row.pair === undefined ? undefined : model.rows[row.pair];
	return (
		<div class="seq-detail" ref={box}>
			<p class="row">
				<strong>{title}</strong>
				{bytes !== undefined && <span class="quiet">{formatBytes(bytes)}</span>}
				<span class="quiet">{spoken(row, model.lanes)}</span>
				<CopyButton text={text} />
				{pair !== undefined && (
					<button type="button" class="plain copy" onClick={() => onGoTo(row.pair!)}>
						{row.pair! > index ? "Go to its answer" : "Go to what it answers"} (
						{formatDuration(Math.abs(pair.atMs - row.atMs))})
					</button>
				)}
			</p>
			{json ? <JsonView text={text} /> : <Diagnostics text={text} />}
		</div>
	);
}

/** Characters of diagnostics that are shown of one event. */
const DIAGNOSTICS = 16_384;

function Diagnostics({ text }: { readonly text: string }): JSX.Element {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<pre tabIndex={0}>
			{text.slice(0, DIAGNOSTICS)}
			{text.length > DIAGNOSTICS && "…"}
		</pre>
	);
}
