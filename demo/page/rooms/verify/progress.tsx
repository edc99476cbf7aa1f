/** How far it has come: a bar, a percentage, files, bytes, the time that is left, and a way to stop. */
import type { JSX } from "preact";
import { count, formatBytes, formatDuration, formatNumber } from "../../parts/format.ts";
import type { Stage } from "./open.ts";

/** Milliseconds between two looks at how far something has come. */
const SHOWN_EVERY = 100;

/** Says each time it is asked whether the next look is due: what reports thousands of times a second is shown ten times. */
export function makeDue(): () => boolean {
	let shown = -Infinity;
	return () => {
		const now = performance.now();
		if (now - shown < SHOWN_EVERY) return false;
		shown = now;
		return true;
	};
}

export interface ProgressProps {
	readonly name: string;
	readonly stage: Stage;
	/** When the pass over the bytes began, as performance.now() has it. */
	readonly since: number;
	readonly onCancel: () => void;
}

export function Progress({ name, stage, since, onCancel }: ProgressProps): JSX.Element {
	const { doing, files, totalFiles, bytes, totalBytes } = stage;
	const share = totalBytes === undefined || totalBytes === 0 ? undefined : bytes / totalBytes;
	const percent = share === undefined ? undefined : Math.floor(100 * share);
	return (
		<section class="sheet progress" aria-label={`Progress of ${name}`}>
			<div class="row spread">
				<p class="reading" role="status">
					{doing === "listing" ? "Listing" : "Reading"} <strong>{name}</strong>
				</p>
				<button type="button" class="plain" onClick={onCancel}>
					Cancel
				</button>
			</div>
			<progress aria-label={`${doing} ${name}`} {...(percent === undefined ? {} : { value: percent })} max={100} />
			<p class="quiet numbers">
				{percent !== undefined && `${percent} % · `}
				{totalFiles === undefined ? count(files, "file") : `${formatNumber(files)} of ${count(totalFiles, "file")}`}
				{bytes > 0 && ` · ${formatBytes(bytes)}`}
				{totalBytes !== undefined && ` of ${formatBytes(totalBytes)}`}
				{doing === "reading" && timeLeft(share, since)}
			</p>
		</section>
	);
}

/** Nothing is said before there is something to go by. */
function timeLeft(share: number | undefined, since: number): string {
	const elapsed = performance.now() - since;
	if (share === undefined || share < 0.02 || elapsed < 500) return "";
	return ` · about ${formatDuration((elapsed / share) * (1 - share))} left`;
}
