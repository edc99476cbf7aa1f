import type { JSX } from "preact";
import { formatNumber } from "../../parts/format.ts";
import type { Difference } from "./compare.ts";
import { describeDifference } from "./report.ts";

/** Differences that are listed at most. */
const LISTED = 500;

const KINDS: readonly Difference["kind"][] = ["changed", "added", "removed", "renamed"];

interface DifferencesProps {
	/** What it was compared with. */
	readonly name: string;
	/** Whether the digests are equal. */
	readonly equal: boolean;
	readonly differences: readonly Difference[];
}

/** Equal, or exactly which files differ. In words: colour alone says nothing. */
export function Differences({ name, equal, differences }: DifferencesProps): JSX.Element {
	if (differences.length === 0) {
		return equal ? (
			<p class="notice good">
				<strong>✓ Equal.</strong> “{name}” has the same files, byte for byte.
			</p>
		) : (
			<p class="notice bad">
				<strong>✗ Not equal.</strong> “{name}” lists the same files, but its digest is another: one of the two was not
				made from these files.
			</p>
		);
	}
	const lineEnds = differences.filter((one) => one.kind === "changed" && one.lineEndsOnly).length;
	return (
		<div data-testid="differences">
			<p class="notice bad">
				<strong>✗ Not equal.</strong> Against “{name}”,{" "}
				{differences.length === 1 ? "one file differs" : `${formatNumber(differences.length)} files differ`}
				{lineEnds === differences.length
					? ", by line endings alone: a checkout converted them. Check it out without conversion (git: core.autocrlf=false)."
					: `: ${tally(differences)}.`}
			</p>
			<ul class="bare lined differences">
				{differences.slice(0, LISTED).map((difference) => (
					<li key={`${difference.kind} ${difference.path}`}>
						<span class={`tag ${difference.kind}`}>
							{difference.kind === "changed" && difference.lineEndsOnly ? "line endings" : difference.kind}
						</span>{" "}
						<span>
							{describeDifference(difference)}
							<Digests difference={difference} />
						</span>
					</li>
				))}
			</ul>
			{differences.length > LISTED && (
				<p class="quiet">… and {formatNumber(differences.length - LISTED)} more; the report has them all.</p>
			)}
		</div>
	);
}

/** "2 changed, 1 added". */
function tally(differences: readonly Difference[]): string {
	return KINDS.map((kind) => [kind, differences.filter((one) => one.kind === kind).length] as const)
		.filter(([, amount]) => amount > 0)
		.map(([kind, amount]) => `${formatNumber(amount)} ${kind}`)
		.join(", ");
}

function Digests({ difference }: { readonly difference: Difference }): JSX.Element {
	const [expected, found] =
		difference.kind === "changed"
			? difference.digests
			: difference.kind === "removed"
				? [difference.sha256, undefined]
				: [undefined, difference.sha256];
	return (
		<>
			{expected !== undefined && (
				<code class="hash line">
					−{"\u00a0"}
					{expected.slice("sha256:".length)}
				</code>
			)}
			{found !== undefined && (
				<code class="hash line">
					+{"\u00a0"}
					{found.slice("sha256:".length)}
				</code>
			)}
		</>
	);
}
