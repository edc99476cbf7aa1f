import { SCHEMA_LIMITS } from "millrace";
import type { JSX } from "preact";
import { formatNumber } from "../../parts/format.ts";
import type { Outcome } from "./check.ts";

/** What the evaluation cost: in all, against the budget, and by keyword. */
export function Work({ outcome }: { readonly outcome: Extract<Outcome, { readonly work: number }> }): JSX.Element {
	const { work, profile } = outcome;
	const most = profile[0]?.[1] ?? 1;
	return (
		<section class="sheet" aria-labelledby="work">
			<h2 id="work">Work</h2>
			<p class="numbers">
				<strong data-testid="work">{formatNumber(work)}</strong> of {formatNumber(SCHEMA_LIMITS.work)} units (
				{share(work)})
			</p>
			<meter aria-label="Share of the budget" min={0} max={SCHEMA_LIMITS.work} value={work} />
			<table class="chart">
				<thead>
					<tr>
						<th scope="col">Keyword</th>
						<th scope="col" class="number">
							Units
						</th>
						<th scope="col" class="wide">
							<span class="unseen">As a bar</span>
						</th>
					</tr>
				</thead>
				<tbody>
					{profile.map(([keyword, units]) => (
						<tr key={keyword}>
							<th scope="row">
								<code>{keyword === "pair" ? "each schema at each value" : keyword}</code>
							</th>
							<td class="number">{formatNumber(units)}</td>
							<td class="wide" aria-hidden="true">
								<div class="bar" style={{ width: `${Math.max(1, (100 * units) / most)}%` }} />
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function share(work: number): string {
	const percent = (100 * work) / SCHEMA_LIMITS.work;
	return percent < 0.1 ? "less than 0.1 %" : `${percent.toFixed(1)} %`;
}
