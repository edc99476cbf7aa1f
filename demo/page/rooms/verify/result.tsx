import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { download } from "../../parts/download.ts";
import { count, formatBytes, formatDuration, formatNumber } from "../../parts/format.ts";
import { Declared } from "./declared.tsx";
import type { Examination } from "./examine.ts";
import { Expected } from "./expected.tsx";
import { Files } from "./files.tsx";
import { Notices } from "./notices.tsx";
import type { OpenedInput } from "./open.ts";
import { Refusals } from "./refusals.tsx";
import { type Comparison, reportJson, reportMarkdown } from "./report.ts";

export interface ResultProps {
	readonly name: string;
	/** The folder of the input that the package is. */
	readonly prefix: string | undefined;
	readonly opened: OpenedInput;
	readonly examination: Examination;
	/** Takes the focus when the result is there. */
	readonly heading: { current: HTMLHeadingElement | null };
	readonly onPrefix: (prefix: string) => void;
}

/** All that came of an examination. */
export function Result({ name, prefix, opened, examination, heading, onPrefix }: ResultProps): JSX.Element {
	const { digest, files, bytes, snapshot, schemas, refusals, stopped, noticed, durationMs } = examination;
	const [compared, setCompared] = useState<Comparison | undefined>();
	const [mark, words] = outcomeOf(examination);
	const amount = noticed.reduce((sum, { notices, leftOut }) => sum + notices.length + leftOut, 0);
	const others = othersOf(opened, examination.inside, prefix);
	return (
		<>
			<section class={`sheet outcome ${mark}`} aria-labelledby="outcome">
				<h2 id="outcome" tabIndex={-1} ref={heading}>
					<span class="mark" aria-hidden="true" />
					<span>{words(name)}</span>
				</h2>
				{digest !== undefined && (
					<>
						<p class="digest">
							<code data-testid="digest">{digest}</code> <CopyButton text={digest} label="Copy digest" />
						</p>
						<ul class="bare tallies">
							<li>
								<strong>{formatNumber(files.length)}</strong> {files.length === 1 ? "file" : "files"}
							</li>
							<li>
								<strong>{formatBytes(bytes)}</strong> read in {formatDuration(durationMs)}
							</li>
							{prefix !== undefined && (
								<li>
									below <code>{prefix}</code>
								</li>
							)}
							<li>{refusals.length === 0 ? "nothing refused" : count(refusals.length, "refusal")}</li>
							<li>
								<button type="button" class={amount === 0 ? "jump" : "jump some"} onClick={goToNotices}>
									{amount === 0 ? "nothing stands out" : `${count(amount, "thing")} worth a look`}
								</button>
							</li>
						</ul>
					</>
				)}
				<Offers opened={opened} others={others} prefix={prefix} onPrefix={onPrefix} />
				{!stopped && <Refusals refusals={refusals} offers={others.length > 0} />}
				{stopped ? (
					<p>Drop it again to start over.</p>
				) : (
					<Reports name={name} examination={examination} compared={compared} />
				)}
			</section>
			{digest !== undefined && <Expected examination={examination} source={opened.source} onCompared={setCompared} />}
			{digest !== undefined && <Notices noticed={noticed} />}
			{snapshot !== undefined && <Declared snapshot={snapshot} schemas={schemas} />}
			{digest !== undefined && <Files files={files} />}
		</>
	);
}

/** No link: the address is the room's own. */
function goToNotices(): void {
	const notices = document.getElementById("notices");
	notices?.scrollIntoView();
	notices?.focus({ preventScroll: true });
}

function outcomeOf({ digest, refusals, stopped }: Examination): readonly [string, (name: string) => string] {
	if (stopped) return ["stopped", () => "You stopped it."];
	if (digest === undefined) return ["refused", (name) => `${name} is refused`];
	if (refusals.length > 0) return ["refused", (name) => `${name} has a digest, but is refused`];
	return ["accepted", (name) => `${name} is a package`];
}

/** Folders inside that may be what is meant. */
function othersOf(opened: OpenedInput, inside: readonly string[], prefix: string | undefined): readonly string[] {
	const common = opened.offered();
	const offered = common === undefined ? (opened.chooses ? inside : []) : [common];
	return offered.filter((one) => one !== prefix);
}

interface OffersProps {
	readonly opened: OpenedInput;
	readonly others: readonly string[];
	readonly prefix: string | undefined;
	readonly onPrefix: (prefix: string) => void;
}

/** Which of them is the package, a person says. */
function Offers({ opened, others, prefix, onPrefix }: OffersProps): JSX.Element | null {
	const common = opened.offered();
	if (others.length === 0) return null;
	return (
		<div class="notice warn">
			{common === undefined ? (
				<p>There is a FLOW.md further inside. If that folder is the package, say so.</p>
			) : (
				<p>
					Everything in this archive lies below <code>{common}</code>, as in archives that npm makes. The package is
					what lies inside, if you say so.
				</p>
			)}
			<p class="row">
				{others.map((one) => (
					<button key={one} type="button" onClick={() => onPrefix((prefix ?? "") + one)}>
						Look inside {one}
					</button>
				))}
			</p>
		</div>
	);
}

interface ReportsProps {
	readonly name: string;
	readonly examination: Examination;
	readonly compared: Comparison | undefined;
}

function Reports({ name, examination, compared }: ReportsProps): JSX.Element {
	const markdown = (): string => reportMarkdown(name, examination, compared);
	const json = (): string => reportJson(name, examination, compared);
	const file = `${name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+/, "") || "package"}.report`;
	return (
		<div class="row reports">
			<span class="quiet">Report</span>
			<CopyButton text={markdown} label="Copy Markdown" />
			<button type="button" class="plain copy" onClick={() => download(`${file}.md`, "text/markdown", markdown())}>
				Download Markdown
			</button>
			<CopyButton text={json} label="Copy JSON" />
			<button type="button" class="plain copy" onClick={() => download(`${file}.json`, "application/json", json())}>
				Download JSON
			</button>
		</div>
	);
}
