/** Playground: a schema or a contract on one side, an instance on the other, the verdict as one types. */
import { Fragment, type JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { type Range, rangesOf } from "../../parts/ranges.ts";
import { replaceRest, route } from "../../shell/route.ts";
import { Canonical } from "./canonical.tsx";
import {
	type Content,
	check,
	compile,
	type Fault,
	type Mark,
	type Outcome,
	type Source,
	sourcePointerOf,
	textOf,
} from "./check.ts";
import { EXAMPLES } from "./examples.ts";
import { MODES, type Mode, packState, unpackState } from "./link.ts";
import { Pane } from "./pane.tsx";
import { Verdict } from "./verdict.tsx";
import { Work } from "./work.tsx";

const NAMES: Readonly<Record<Mode, string>> = {
	schema: "schema",
	capability: "capability contract",
	channel: "channel contract",
};

/** Characters of an instance that is evaluated at every key; a larger one when the typing pauses. */
const AT_EVERY_KEY = 1_048_576;

/** Milliseconds that count as a pause, and after which the link follows. */
const PAUSE = 400;

/** Marks in an editor at most. */
const MARKS = 200;

interface Board {
	readonly mode: Mode;
	readonly source: Content;
	readonly instance: Content;
	readonly pick: string;
}

/** What stands in the room, for as long as the page is open: who looks into another room finds it again. */
let kept: Board = EXAMPLES[0]![1];

export default function Room(): JSX.Element {
	const [board, setBoard] = useState<Board>(kept);
	kept = board;
	const [notice, setNotice] = useState<string | undefined>();
	const [goal, setGoal] = useState<{ readonly side: "source" | "instance"; readonly range: Range } | undefined>();
	const { rest } = route.value;

	// What a link brings; a link that can't be read changes nothing.
	useEffect(() => {
		if (rest === "") return undefined;
		let left = false;
		void unpackState(rest).then((state) => {
			// Another link came meanwhile.
			if (left) return;
			if (state === undefined)
				setNotice("This link can't be read: it is cut off, or not from here. What you had stays.");
			else {
				setNotice(undefined);
				setBoard(state);
			}
		});
		return () => {
			left = true;
		};
	}, [rest]);

	const link = useLink(board);
	const evaluated = useSettled(board.instance);
	const compiled = useMemo(() => compile(board.mode, board.source), [board.mode, board.source]);
	const schemas = "source" in compiled ? compiled.source.schemas : undefined;
	const picked = schemas === undefined ? undefined : schemas.has(board.pick) ? board.pick : schemas.keys().next().value;
	const schema = picked === undefined ? undefined : schemas?.get(picked);
	const outcome = useMemo(() => (schema === undefined ? undefined : check(schema, evaluated)), [schema, evaluated]);
	const sourceFault = "fault" in compiled ? compiled.fault : undefined;
	const marks = useMemo(
		() => marksOf(board, evaluated, sourceFault, outcome),
		[board, evaluated, sourceFault, outcome],
	);

	const change = useCallback((next: Partial<Board>): void => {
		setBoard((before) => ({ ...before, ...next }));
	}, []);
	const go = useCallback(
		(side: "source" | "instance", pointer: string): void => {
			const range = rangesOf(textOf(board[side]), new Set([pointer])).get(pointer);
			if (range !== undefined) setGoal({ side, range });
		},
		[board],
	);

	return (
		<div class="playground">
			<div class="row spread">
				<h1>Playground</h1>
				<div class="row">
					<label>
						<span class="unseen">Start from an example</span>
						<select
							value=""
							onChange={({ currentTarget }) => {
								const example = EXAMPLES.find(([name]) => name === currentTarget.value)?.[1];
								if (example !== undefined) setBoard(example);
								setNotice(undefined);
								currentTarget.value = "";
							}}
						>
							<option value="">Start from an example…</option>
							{EXAMPLES.map(([name]) => (
								<option key={name} value={name}>
									{name}
								</option>
							))}
						</select>
					</label>
					<CopyButton text={() => location.href} label="Copy link" />
				</div>
			</div>
			{notice !== undefined && (
				<p class="notice warn" role="alert">
					{notice}
				</p>
			)}
			{link === "too long" && (
				<p class="quiet">This is too long for a link: the address no longer follows what you type.</p>
			)}
			<div class="row sides" role="radiogroup" aria-label="What stands on the left">
				{MODES.map((mode) => (
					<label key={mode} class="side">
						<input type="radio" name="mode" checked={mode === board.mode} onChange={() => change({ mode, pick: "" })} />{" "}
						{NAMES[mode]}
					</label>
				))}
			</div>
			<div class="pair">
				<Pane
					title={board.mode === "schema" ? "Schema" : "Contract"}
					content={board.source}
					marks={marks.source}
					selected={goal?.side === "source" ? goal.range : undefined}
					onContent={(source) => change({ source })}
				/>
				<Pane
					title="Instance"
					content={board.instance}
					marks={marks.instance}
					selected={goal?.side === "instance" ? goal.range : undefined}
					onContent={(instance) => change({ instance })}
				>
					{schemas !== undefined && schemas.size > 1 && (
						<label>
							<span class="unseen">Schema to try it against</span>
							<select value={picked} onChange={({ currentTarget }) => change({ pick: currentTarget.value })}>
								{[...schemas.keys()].map((name) => (
									<option key={name} value={name}>
										{name}
									</option>
								))}
							</select>
						</label>
					)}
				</Pane>
			</div>
			{evaluated !== board.instance && <p class="quiet">A large instance: it is evaluated when you pause.</p>}
			<div class="pair results">
				<div>
					<Verdict
						sourceFault={sourceFault}
						sourceName={NAMES[board.mode]}
						outcome={outcome}
						onGo={go}
						onFault={(side, { mark }) => mark !== undefined && setGoal({ side, range: { ...mark } })}
					/>
					{outcome !== undefined && outcome.verdict !== "unread" && <Canonical value={outcome.value} />}
				</div>
				<div>
					{outcome !== undefined && "work" in outcome && <Work outcome={outcome} />}
					{"source" in compiled && <Facts source={compiled.source} />}
				</div>
			</div>
		</div>
	);
}

function Facts({ source: { identity, facts } }: { readonly source: Source }): JSX.Element {
	return (
		<section class="sheet" aria-label="About the source">
			<dl class="facts">
				{identity !== undefined && (
					<>
						<dt>Identity</dt>
						<dd>
							<code>{identity.id}</code> {identity.version}
						</dd>
						<dt>Digest</dt>
						<dd>
							<code data-testid="contract-digest">{identity.digest}</code>{" "}
							<CopyButton text={identity.digest} label="Copy digest" />
						</dd>
					</>
				)}
				{facts.map(([name, value]) => (
					<Fragment key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</Fragment>
				))}
			</dl>
		</section>
	);
}

/** What is wrong, at its places in both texts. */
function marksOf(
	{ source }: Board,
	instance: Content,
	sourceFault: Fault | undefined,
	outcome: Outcome | undefined,
): { readonly source: readonly Mark[]; readonly instance: readonly Mark[] } {
	if (sourceFault !== undefined) return { source: listOf(sourceFault.mark), instance: [] };
	if (outcome?.verdict === "unread") return { source: [], instance: listOf(outcome.fault.mark) };
	if (outcome?.verdict !== "invalid") return { source: [], instance: [] };
	const diagnostics = outcome.diagnostics.slice(0, MARKS);
	const at = (content: Content, pointers: readonly string[]): Mark[] => {
		const ranges = rangesOf(textOf(content), new Set(pointers));
		return diagnostics.flatMap(({ message }, index) => {
			const range = ranges.get(pointers[index]!);
			return range === undefined ? [] : [{ ...range, message }];
		});
	};
	return {
		source: at(source, diagnostics.map(sourcePointerOf)),
		instance: at(
			instance,
			diagnostics.map(({ instancePointer }) => instancePointer),
		),
	};
}

function listOf(mark: Mark | undefined): readonly Mark[] {
	return mark === undefined ? [] : [mark];
}

/** The content itself, or for a large one what it was when the typing last paused. */
function useSettled(content: Content): Content {
	const [settled, setSettled] = useState(content);
	const isLarge = content.length > AT_EVERY_KEY;
	useEffect(() => {
		if (!isLarge) return undefined;
		const timer = setTimeout(() => setSettled(content), PAUSE);
		return () => clearTimeout(timer);
	}, [content, isLarge]);
	return isLarge ? settled : content;
}

/** Keeps the address in step with the board. */
function useLink(board: Board): "kept" | "too long" {
	const [state, setState] = useState<"kept" | "too long">("kept");
	const first = useRef(true);
	useEffect(() => {
		// Whoever only looks has no address written for them.
		if (first.current) {
			first.current = false;
			return undefined;
		}
		let left = false;
		const timer = setTimeout(async () => {
			const link = await packState({
				mode: board.mode,
				source: textOf(board.source),
				instance: textOf(board.instance),
				pick: board.pick,
			});
			if (left) return;
			setState(link === undefined ? "too long" : "kept");
			replaceRest("playground", link ?? "");
		}, PAUSE);
		return () => {
			left = true;
			clearTimeout(timer);
		};
	}, [board]);
	return state;
}
