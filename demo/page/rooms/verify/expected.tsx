/** Whether it is the expected package: against a digest, a manifest, or a second package. */
import { escapeForDisplay, isDigest, type PackageSource } from "millrace";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DropZone } from "../../parts/drop-zone.tsx";
import { formatNumber } from "../../parts/format.ts";
import type { PackageInput } from "../../parts/input.ts";
import type { Difference } from "./compare.ts";
import { Differences } from "./differences.tsx";
import type { Examination } from "./examine.ts";
import type { Stage } from "./open.ts";
import type { Other, PrefixOffer } from "./other.ts";
import { makeDue, Progress } from "./progress.tsx";
import type { Comparison } from "./report.ts";

export interface ExpectedProps {
	readonly examination: Examination;
	readonly source: PackageSource;
	/** What was found, for the report. */
	readonly onCompared: (compared: Comparison | undefined) => void;
}

/** One thing that is compared with. */
interface Comparing {
	readonly input: PackageInput;
	readonly stop: AbortController;
	readonly since: number;
	readonly stage?: Stage | undefined;
	readonly other?: Other;
	readonly differences?: readonly Difference[];
	/** Files whose line endings were looked at, while that goes on. */
	readonly looked?: number | undefined;
	readonly fault?: string;
	readonly offer?: PrefixOffer;
}

export function Expected({ examination, source, onCompared }: ExpectedProps): JSX.Element {
	const [typed, setTyped] = useState("");
	const [comparing, setComparing] = useState<Comparing | undefined>();
	const latest = useRef<Comparing | undefined>(undefined);
	const leave = (): void => {
		latest.current?.stop.abort();
		latest.current?.other?.dispose();
		latest.current = undefined;
	};
	useEffect(() => leave, []);

	const take = async (input: PackageInput, prefix?: string): Promise<void> => {
		leave();
		onCompared(undefined);
		const stop = new AbortController();
		const put = (change: Partial<Comparing>): void => {
			if (latest.current?.stop !== stop) return;
			latest.current = { ...latest.current, ...change };
			setComparing(latest.current);
		};
		const due = makeDue();
		latest.current = { input, stop, since: performance.now(), stage: { doing: "listing", files: 0, bytes: 0 } };
		put({});
		try {
			const { compareFiles, lookAtLineEnds, readOther } = await import("./other.ts");
			const other = await readOther(input, prefix, stop.signal, (stage) => due() && put({ stage }));
			const found = compareFiles(other.manifest.files, examination.files);
			put({ stage: undefined, other, differences: found, looked: 0 });
			const { signal } = stop;
			const looked = (files: number): void => void (due() && put({ looked: files }));
			const differences = await lookAtLineEnds(found, source, other, signal, looked);
			put({ differences, looked: undefined });
			if (latest.current?.stop === stop) onCompared({ name: other.name, digest: other.manifest.digest, differences });
		} catch (error) {
			put({ stage: undefined, looked: undefined, ...describeFailure(error, stop.signal.aborted) });
		}
	};

	return (
		<section class="sheet" aria-labelledby="expected">
			<h2 id="expected">Is it the one you expect?</h2>
			<div class="pair">
				<div>
					<label class="field">
						<span>The digest that you were given</span>
						<input
							class="mono wide"
							placeholder="sha256:…"
							spellcheck={false}
							autocomplete="off"
							value={typed}
							onInput={({ currentTarget }) => setTyped(currentTarget.value)}
						/>
					</label>
					<div aria-live="polite">
						{typed.trim() === "" ? (
							<p class="quiet hint">Paste it to have it compared with the one above, character by character.</p>
						) : (
							<Verdict typed={typed.trim()} digest={examination.digest} />
						)}
					</div>
				</div>
				<div>
					<DropZone small label="Or drop a manifest or another package" onInput={(input) => void take(input)} />
					<p class="quiet hint">
						… and see exactly which files differ. A manifest is what <code>millrace digest DIR --manifest</code> prints,
						or this page’s JSON report. It stays on your machine, too.
					</p>
				</div>
			</div>
			{comparing?.stage !== undefined && (
				<Progress
					name={escapeForDisplay(comparing.input.name) || "the other package"}
					stage={comparing.stage}
					since={comparing.since}
					onCancel={() => comparing.stop.abort()}
				/>
			)}
			{comparing?.fault !== undefined && (
				<p class="notice bad" role="alert">
					{comparing.fault}
				</p>
			)}
			{comparing?.offer !== undefined && (
				<div class="notice warn" role="status">
					<p>{comparing.offer.message}</p>
					<button type="button" onClick={() => void take(comparing.input, comparing.offer?.prefix)}>
						Compare with what is inside {comparing.offer.prefix}
					</button>
				</div>
			)}
			<div aria-live="polite">
				{comparing?.other !== undefined && comparing.differences !== undefined && (
					<Differences
						name={comparing.other.name}
						equal={comparing.other.manifest.digest === examination.digest}
						differences={comparing.differences}
					/>
				)}
				{comparing?.looked !== undefined && (
					<p class="quiet">Looking at line endings, {formatNumber(comparing.looked)} so far…</p>
				)}
			</div>
		</section>
	);
}

function describeFailure(error: unknown, stopped: boolean): Pick<Comparing, "fault" | "offer"> {
	if (stopped) return { fault: "You stopped it." };
	// By its member, since its class is loaded with what throws it.
	if (error instanceof Error && "prefix" in error) return { offer: error as PrefixOffer };
	return { fault: error instanceof Error ? error.message : String(error) };
}

function Verdict({ typed, digest }: { readonly typed: string; readonly digest: string | undefined }): JSX.Element {
	// As it is copied from a page or a mail: in capitals, in groups, without its name.
	const found = typed.replace(/\s+/g, "").toLowerCase();
	const wanted = /^[0-9a-f]{64}$/.test(found) ? `sha256:${found}` : found;
	if (!isDigest(wanted)) {
		return (
			<p class="notice warn">
				That is no digest: it is “sha256:” and 64 digits or letters from a to f.
				{wanted.length !== 71 && ` This has ${wanted.length} characters in all instead of 71.`}
			</p>
		);
	}
	if (wanted === digest) {
		return (
			<p class="notice good" data-testid="expected-verdict">
				<strong>✓ Equal.</strong> This is the package with that digest, byte for byte.
			</p>
		);
	}
	return (
		<p class="notice bad" data-testid="expected-verdict">
			<strong>✗ Not equal.</strong> This is another package. Drop a manifest of the expected one to see what differs.
		</p>
	);
}
