/** The sequence, drawn: lanes from left to right, rows from top to bottom, and only those in sight. */
import type { JSX, RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { download } from "../../../parts/download.ts";
import { count, formatDuration, formatNumber } from "../../../parts/format.ts";
import { writeTrace } from "./file.ts";
import { EVERYTHING, type Filter, filterRows } from "./filter.ts";
import { type Columns, layColumns, type Opened, topOf, windowOf } from "./layout.ts";
import type { SequenceModel } from "./model.ts";
import { RowView } from "./row.tsx";
import { nameOf } from "./spoken.ts";
import { Toolbar } from "./toolbar.tsx";

const ROW = 34;
const LISTED_ROW = 56;
const TIME = 76;
/** The narrowest and the widest that a column is, and what marks on the last lane have for their words. */
const COLUMN = { least: 128, most: 260 };
const RIGHT = 190;
/** Milliseconds that a Run lasts at most to be read from its beginning. */
const BRIEF = 2_000;
/** Below this width lanes give way to a list. */
const NARROW = 560;

export interface ViewerProps {
	readonly model: SequenceModel;
	/** Grows with the model. */
	readonly version: number;
	/** Rows still come. */
	readonly live: boolean;
	/** Name of the file that the trace is downloaded to; undefined where it holds no values. */
	readonly file: string | undefined;
	readonly children?: JSX.Element | undefined;
}

export function Viewer({ model, version, live, file, children }: ViewerProps): JSX.Element {
	const [filter, setFilter] = useState<Filter>(EVERYTHING);
	const scroller = useRef<HTMLDivElement>(null);
	const { width, height } = useSize(scroller);
	const [chosen, setListed] = useState<boolean | undefined>();
	const listed = chosen ?? (width > 0 && width < NARROW);
	const rowHeight = listed ? LISTED_ROW : ROW;
	const [scrollTop, setScrollTop] = useState(0);
	const [heights, setHeights] = useState<ReadonlyMap<number, number>>(new Map());
	const [active, setActive] = useState(0);
	const [follow, setFollow] = useState(true);
	const focus = useRef(false);
	/** A row to go to as soon as it is shown. */
	const wanted = useRef<number | undefined>(undefined);

	const shown = useShown(model, filter, version);
	const columns = useMemo(() => layColumns(model.lanes, model.rows, shown), [model, shown, shown.length]);
	const column = Math.min(
		COLUMN.most,
		Math.max(COLUMN.least, (width - TIME - RIGHT) / Math.max(1, columns.lanes.length)),
	);
	const xOf = useCallback((lane: number) => TIME + column / 2 + (columns.of[lane] ?? 0) * column, [column, columns]);
	const opened: Opened = useMemo(() => placesOf(heights, shown), [heights, shown, shown.length]);
	const total = topOf(shown.length, rowHeight, opened);
	const span = windowOf(shown.length, rowHeight, opened, scrollTop, height);
	const current = Math.min(active, Math.max(0, shown.length - 1));

	useEffect(() => {
		setHeights(new Map());
		setActive(0);
		setFollow(true);
	}, [model]);
	// The newest row stays in sight while rows come, until somebody scrolls away from it. What was over before anybody could
	// have watched it is read from its beginning.
	const was = useRef(live);
	useLayoutEffect(() => {
		const element = scroller.current;
		if (element === null || !follow || !(live || was.current)) return;
		const brief = !live && (model.events.at(-1)?.atMs ?? 0) < BRIEF;
		element.scrollTop = brief ? 0 : element.scrollHeight;
		was.current = live;
	}, [version, live, follow]);
	useLayoutEffect(() => {
		if (!focus.current) return;
		const button = scroller.current?.querySelector<HTMLElement>(`[data-row="${shown[current]}"]`);
		if (button === undefined || button === null) return;
		focus.current = false;
		button.focus({ preventScroll: true });
	});

	const bringToSight = (place: number): void => {
		const element = scroller.current;
		if (element === null) return;
		const top = topOf(place, rowHeight, opened);
		const head = listed ? 0 : 56;
		if (top < element.scrollTop) element.scrollTop = top;
		else if (top + rowHeight + head > element.scrollTop + element.clientHeight)
			element.scrollTop = top + rowHeight + head - element.clientHeight;
		setScrollTop(element.scrollTop);
	};
	const step = (place: number): void => {
		const next = Math.max(0, Math.min(shown.length - 1, place));
		setFollow(false);
		setActive(next);
		focus.current = true;
		bringToSight(next);
	};
	const goTo = (row: number): void => {
		const place = placeIn(shown, row);
		if (place !== undefined) step(place);
		else {
			wanted.current = row;
			setFilter(EVERYTHING);
		}
	};
	useLayoutEffect(() => {
		const place = wanted.current === undefined ? undefined : placeIn(shown, wanted.current);
		if (place === undefined) return;
		wanted.current = undefined;
		step(place);
	});
	const toggle = (row: number, place: number): void => {
		setActive(place);
		setFollow(false);
		const next = new Map(heights);
		if (!next.delete(row)) next.set(row, 0);
		setHeights(next);
	};
	const onKey = (event: KeyboardEvent): void => {
		if (!(event.target as Element).classList.contains("seq-line")) return;
		const page = Math.max(1, Math.floor(height / rowHeight) - 2);
		const steps: Readonly<Record<string, number>> = {
			ArrowDown: current + 1,
			ArrowUp: current - 1,
			PageDown: current + page,
			PageUp: current - page,
			Home: 0,
			End: shown.length - 1,
		};
		const next = steps[event.key];
		if (next === undefined) return;
		event.preventDefault();
		step(next);
	};
	const save = (): void => download(file!, "application/x-ndjson", [...writeTrace(model)].join(""));

	return (
		<section class="sheet seq" aria-label="Sequence of the Run">
			<div class="seq-title">
				<h2>Sequence</h2>
				<p class="quiet" aria-live="off">
					{summary(model, shown.length)}
				</p>
			</div>
			{children}
			<Toolbar
				{...{ model, filter, listed, onFilter: setFilter, onListed: setListed }}
				onDownload={file === undefined ? undefined : save}
			/>
			{model.dropped > 0 && (
				<p class="notice warn">
					{formatNumber(model.dropped)} events came after this page had kept as many as it does; they are not shown.
					What the host did at the end is.
				</p>
			)}
			<div
				class={`seq-scroll${listed ? " listed" : ""}`}
				ref={scroller}
				onScroll={({ currentTarget }) => {
					setScrollTop(currentTarget.scrollTop);
					setFollow(currentTarget.scrollTop + currentTarget.clientHeight >= currentTarget.scrollHeight - 4);
				}}
			>
				{!listed && <Heads model={model} columns={columns} xOf={xOf} column={column} />}
				<div
					class="seq-body"
					style={{ height: `${total}px`, minWidth: listed ? "0" : `${xOf(columns.lanes.at(-1)!) + RIGHT}px` }}
				>
					{!listed &&
						columns.lanes.map((lane) => (
							<span key={lane} class={`seq-rail ${model.lanes[lane]!.kind}`} style={{ left: `${xOf(lane)}px` }} />
						))}
					<ol aria-label="Rows of the sequence; the arrow keys step, Enter opens" onKeyDown={onKey}>
						{shown.slice(span.from, span.to).map((index, offset) => {
							const place = span.from + offset;
							return (
								<RowView
									key={index}
									{...{ model, index }}
									place={{ top: topOf(place, rowHeight, opened), xOf, listed }}
									position={place + 1}
									count={shown.length}
									open={heights.has(index)}
									active={place === current}
									onToggle={() => toggle(index, place)}
									onHeight={(value) => {
										if (heights.get(index) !== value) setHeights((now) => new Map(now).set(index, value));
									}}
									onGoTo={goTo}
								/>
							);
						})}
					</ol>
				</div>
			</div>
			{shown.length === 0 && (
				<p class="quiet seq-none">
					{model.rows.length === 0 ? "Nothing has happened yet." : "No row passes the filter."}
				</p>
			)}
		</section>
	);
}

interface HeadsProps {
	readonly model: SequenceModel;
	readonly columns: Columns;
	readonly xOf: (lane: number) => number;
	readonly column: number;
}

function Heads({ model, columns, xOf, column }: HeadsProps): JSX.Element {
	const last = columns.lanes.length - 1;
	return (
		<div class="seq-heads" style={{ minWidth: `${xOf(columns.lanes[last]!) + RIGHT}px` }} aria-hidden="true">
			<span class="seq-time">ms</span>
			{columns.lanes.map((lane, index) => {
				const { label, detail, kind } = model.lanes[lane]!;
				const folded = index === last ? columns.folded : 0;
				return (
					<span
						key={lane}
						class={`seq-head ${kind}`}
						style={{ left: `${xOf(lane)}px`, maxWidth: `${column - 8}px` }}
						title={nameOf(model.lanes[lane])}
					>
						<strong>{folded === 0 ? label : `and ${folded} more`}</strong>
						{detail !== "" && folded === 0 && <small>{detail}</small>}
					</span>
				);
			})}
		</div>
	);
}

/** The rows that pass, without looking again at those that were looked at. */
function useShown(model: SequenceModel, filter: Filter, version: number): readonly number[] {
	const kept = useRef<{ model: SequenceModel; filter: Filter; seen: number; shown: number[] } | undefined>(undefined);
	return useMemo(() => {
		const before = kept.current;
		const same = before !== undefined && before.model === model && before.filter === filter;
		const shown = same ? before.shown : [];
		for (const index of filterRows(model, filter, same ? before.seen : 0)) shown.push(index);
		kept.current = { model, filter, seen: model.rows.length, shown };
		return shown;
	}, [model, filter, version]);
}

function placesOf(heights: ReadonlyMap<number, number>, shown: readonly number[]): Opened {
	const places = new Map<number, number>();
	for (const [row, height] of heights) {
		const place = placeIn(shown, row);
		if (place !== undefined) places.set(place, height);
	}
	return places;
}

function placeIn(shown: readonly number[], row: number): number | undefined {
	let low = 0;
	let high = shown.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (shown[middle]! < row) low = middle + 1;
		else high = middle;
	}
	return shown[low] === row ? low : undefined;
}

function summary({ rows, events, operationCount }: SequenceModel, shown: number): string {
	const last = events.at(-1)?.atMs ?? 0;
	const of = shown === rows.length ? count(shown, "row") : `${formatNumber(shown)} of ${count(rows.length, "row")}`;
	const calls = operationCount === 0 ? "" : `, ${count(operationCount, "call")}`;
	return `${of} from ${count(events.length, "event")}${calls}, ${formatDuration(last)}`;
}

function useSize(box: RefObject<HTMLElement | null>): { readonly width: number; readonly height: number } {
	const [size, setSize] = useState({ width: 0, height: 400 });
	useLayoutEffect(() => {
		const element = box.current;
		if (element === null) return undefined;
		const look = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
		const observer = new ResizeObserver(look);
		observer.observe(element);
		look();
		return () => observer.disconnect();
	}, []);
	return size;
}
