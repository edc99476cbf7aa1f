/** Verify: what a package is, what stands out in it, and whether it is the expected one. */
import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { download } from "../../parts/download.ts";
import { DropZone } from "../../parts/drop-zone.tsx";
import { count, formatBytes, formatDuration } from "../../parts/format.ts";
import type { PackageInput } from "../../parts/input.ts";
import { takeHandedOver } from "../../shell/handover.ts";
import type { Difference } from "./compare.ts";
import { Declared } from "./declared.tsx";
import { type Examination, examine } from "./examine.ts";
import { Expected } from "./expected.tsx";
import { describeRefusal } from "./explain.ts";
import { Files } from "./files.tsx";
import { Notices } from "./notices.tsx";
import { type OpenedInput, openInput, type Stage } from "./open.ts";
import { Progress } from "./progress.tsx";
import { Refusals } from "./refusals.tsx";
import { reportJson, reportMarkdown } from "./report.ts";

/** One package in the room. */
interface Case {
	readonly input: PackageInput;
	readonly prefix: string | undefined;
	readonly stage: Stage;
	readonly since: number;
	readonly stop: AbortController;
	readonly opened?: OpenedInput;
	readonly examination?: Examination;
}

/** Milliseconds between two looks at how far it has come. */
const SHOWN_EVERY = 100;

export default function Room(): JSX.Element {
	const [current, setCurrent] = useState<Case | undefined>();
	const latest = useRef<Case | undefined>(undefined);
	const result = useRef<HTMLHeadingElement>(null);

	const begin = useCallback(async (input: PackageInput, prefix?: string): Promise<void> => {
		latest.current?.stop.abort();
		latest.current?.opened?.dispose();
		const stop = new AbortController();
		let shown = -Infinity;
		const put = (change: Partial<Case>): void => {
			if (latest.current?.stop !== stop) return;
			latest.current = { ...latest.current, ...change };
			setCurrent(latest.current);
		};
		const putStage = (stage: Stage): void => {
			const now = performance.now();
			if (now - shown < SHOWN_EVERY) return;
			// The first stage of the pass over the bytes starts the clock for the time left.
			const started = stage.doing === "reading" && latest.current?.stage.doing !== "reading";
			shown = now;
			put({ stage, ...(started ? { since: now } : {}) });
		};
		latest.current = { input, prefix, stage: { doing: "listing", files: 0, bytes: 0 }, since: performance.now(), stop };
		setCurrent(latest.current);
		let opened: OpenedInput;
		try {
			opened = openInput(input, prefix, stop.signal, putStage);
		} catch (error) {
			put({ examination: refused(error) });
			return;
		}
		put({ opened });
		const examination = await examine(opened.source, {
			signal: stop.signal,
			onProgress: (progress) => putStage({ doing: "reading", ...progress }),
		});
		put({ examination });
	}, []);

	useEffect(() => {
		const input = takeHandedOver();
		if (input !== undefined) void begin(input);
		return () => {
			latest.current?.stop.abort();
			latest.current?.opened?.dispose();
		};
	}, [begin]);
	useEffect(() => {
		if (current?.examination !== undefined) result.current?.focus();
	}, [current?.examination]);

	return (
		<div class="verify">
			<h1>Verify a package</h1>
			<DropZone
				small={current !== undefined}
				label={current === undefined ? "Drop a folder, or a .tar, .tgz or .zip" : "Drop another package"}
				onInput={(input) => void begin(input)}
			/>
			{current === undefined && (
				<p class="quiet">
					The files are read here, in your browser, and go nowhere: this page has no way to send them. A browser shows
					regular files only, so symbolic links in a folder are not seen; the command refuses them.
				</p>
			)}
			{current !== undefined && current.examination === undefined && (
				<Progress
					name={nameOf(current.input)}
					stage={current.stage}
					since={current.since}
					onCancel={() => current.stop.abort()}
				/>
			)}
			{current?.examination !== undefined && (
				<Result
					key={current.since}
					current={current}
					examination={current.examination}
					heading={result}
					onPrefix={(prefix) => void begin(current.input, prefix)}
				/>
			)}
		</div>
	);
}

interface ResultProps {
	readonly current: Case;
	readonly examination: Examination;
	readonly heading: { current: HTMLHeadingElement | null };
	readonly onPrefix: (prefix: string) => void;
}

function Result({ current, examination, heading, onPrefix }: ResultProps): JSX.Element {
	const { digest, files, bytes, snapshot, refusals, notices, durationMs } = examination;
	const [differences, setDifferences] = useState<readonly Difference[] | undefined>();
	const name = nameOf(current.input);
	const offered = current.opened?.offered();
	const markdown = (): string => reportMarkdown(name, examination, differences);
	return (
		<>
			<section class="sheet outcome" aria-labelledby="outcome">
				<h2 id="outcome" tabIndex={-1} ref={heading}>
					{digest === undefined
						? `${name} is refused`
						: refusals.length > 0
							? `${name} has a digest, but is refused`
							: `${name} is a package`}
				</h2>
				{digest !== undefined && (
					<>
						<p class="digest">
							<code data-testid="digest">{digest}</code> <CopyButton text={digest} label="Copy digest" />
						</p>
						<p class="quiet">
							{count(files.length, "file")}, {formatBytes(bytes)}, in {formatDuration(durationMs)}
							{current.prefix !== undefined && `, below ${current.prefix}`}
						</p>
					</>
				)}
				{offered !== undefined && offered !== current.prefix && (
					<div class="notice warn">
						<p>
							Everything in this archive lies below <code>{offered}</code>, as in archives that npm makes. The package
							is what lies inside, if you say so.
						</p>
						<button type="button" onClick={() => onPrefix(offered)}>
							Look inside {offered}
						</button>
					</div>
				)}
				<Refusals refusals={refusals} />
				{digest !== undefined && (
					<p class="row">
						<CopyButton text={markdown} label="Copy report" />
						<button
							type="button"
							class="plain"
							onClick={() => download(`${fileName(name)}.md`, "text/markdown", markdown())}
						>
							Download report
						</button>
						<button
							type="button"
							class="plain"
							onClick={() => download(`${fileName(name)}.json`, "application/json", reportJson(name, examination))}
						>
							Download manifest (JSON)
						</button>
					</p>
				)}
			</section>
			{digest !== undefined && current.opened !== undefined && (
				<Expected examination={examination} source={current.opened.source} onCompared={setDifferences} />
			)}
			{snapshot !== undefined && <Declared snapshot={snapshot} />}
			{digest !== undefined && <Notices notices={notices} />}
			{digest !== undefined && <Files files={files} />}
		</>
	);
}

function nameOf(input: PackageInput): string {
	return input.name || "What you dropped";
}

/** A name for a file that is saved, of letters that every system takes. */
function fileName(name: string): string {
	return `${name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+/, "") || "package"}.report`;
}

function refused(error: unknown): Examination {
	const refusals = [describeRefusal(error)];
	return { digest: undefined, files: [], bytes: 0, snapshot: undefined, refusals, notices: [], durationMs: 0 };
}
