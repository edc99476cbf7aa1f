/** Verify: what a package is, what stands out in it, and whether it is the expected one. */
import { type Signal, signal } from "@preact/signals";
import { escapeForDisplay, memorySource } from "millrace";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { DropZone } from "../../parts/drop-zone.tsx";
import type { PackageInput } from "../../parts/input.ts";
import { takeHandedOver } from "../../shell/handover.ts";
import { type Examination, examine } from "./examine.ts";
import { type OpenedInput, openInput, type Stage } from "./open.ts";
import { makeDue, Progress } from "./progress.tsx";
import { Result } from "./result.tsx";

/** One package in the room. */
interface Case {
	readonly input: PackageInput;
	readonly prefix: string | undefined;
	readonly stage: Stage;
	readonly since: number;
	readonly stop: AbortController;
	readonly opened: OpenedInput;
	readonly examination?: Examination;
}

/** What is looked at, for as long as the page is open: who looks into another room finds it again. */
const looked: Signal<Case | undefined> = signal(undefined);

async function begin(input: PackageInput, prefix?: string): Promise<void> {
	leave(looked.value);
	const stop = new AbortController();
	const due = makeDue();
	const put = (change: Partial<Case>): void => {
		if (looked.value?.stop === stop) looked.value = { ...looked.value, ...change };
	};
	const putStage = (stage: Stage): void => {
		if (!due()) return;
		// The first stage of the pass over the bytes starts the clock for the time left.
		const started = stage.doing === "reading" && looked.value?.stage.doing !== "reading";
		put({ stage, ...(started ? { since: performance.now() } : {}) });
	};
	const opened = openInput(input, prefix, stop.signal, putStage);
	const stage: Stage = { doing: "listing", files: 0, bytes: 0 };
	looked.value = { input, prefix, stage, since: performance.now(), stop, opened };
	const examination = await examine(opened.source, {
		signal: stop.signal,
		onProgress: (progress) => putStage({ doing: "reading", ...progress }),
	});
	put({ examination });
}

export default function Room(): JSX.Element {
	const current = looked.value;
	const result = useRef<HTMLHeadingElement>(null);

	useEffect(() => {
		const input = takeHandedOver();
		if (input !== undefined) void begin(input);
	}, []);
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
			{current === undefined && <Promises onExample={(input) => void begin(input)} />}
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
					name={nameOf(current.input)}
					prefix={current.prefix}
					opened={current.opened}
					examination={current.examination}
					heading={result}
					onPrefix={(prefix) => void begin(current.input, prefix)}
				/>
			)}
		</div>
	);
}

/** Stops whatever is under way, and gives up what was unpacked. */
function leave(one: Case | undefined): void {
	one?.stop.abort();
	one?.opened.dispose();
}

function nameOf({ name }: PackageInput): string {
	return escapeForDisplay(name) || "What you dropped";
}

/** Before anything is dropped: what will be told, and what won't happen. */
function Promises({ onExample }: { readonly onExample: (input: PackageInput) => void }): JSX.Element {
	const example = async (): Promise<void> => {
		const { default: flows } = await import("page-flows");
		onExample({ kind: "folder", name: "parent", source: memorySource(flows.parent ?? {}), listing: {} });
	};
	return (
		<div class="promises">
			<section aria-labelledby="told">
				<h2 id="told">What you will be told</h2>
				<ul>
					<li>its digest, and whether it is the one you were given</li>
					<li>which files differ from a manifest or from another package, and how</li>
					<li>its metadata, entrypoint, schemas and contracts</li>
					<li>each refusal at its place, with the way out</li>
					<li>what a reviewer should see: hidden characters, look-alike names, secrets, programs</li>
				</ul>
				<p>
					<button type="button" class="plain" onClick={() => void example()}>
						Look at an example
					</button>
				</p>
			</section>
			<section aria-labelledby="stays">
				<h2 id="stays">What stays here</h2>
				<p>
					Everything. The files are read in your browser, and this page sends them nowhere: its policy forbids it any
					connection. Your browser may ask whether to “upload” a folder that you choose; it only means that this page
					may read it. A dropped folder needs no such question.
				</p>
				<p class="quiet">
					A browser shows regular files only, so symbolic links in a folder are followed or left out before this page
					can see them. Where that matters, use an archive, or the command.
				</p>
			</section>
		</div>
	);
}
