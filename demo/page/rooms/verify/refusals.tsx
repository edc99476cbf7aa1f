import { escapeForDisplay } from "millrace";
import type { JSX } from "preact";
import { count } from "../../parts/format.ts";
import type { Refusal } from "./explain.ts";
import { placeOf } from "./report.ts";

interface RefusalsProps {
	readonly refusals: readonly Refusal[];
	/** Whether folders inside are offered to be looked at instead. */
	readonly offers: boolean;
}

/** Each refusal at its place, with the reason and the way out. */
export function Refusals({ refusals, offers }: RefusalsProps): JSX.Element {
	const fixOf = ({ code, explanations }: Refusal): string | undefined =>
		code === "PACKAGE_FLOW_MISSING" && offers
			? "Look inside the folder that is the package: the button above does."
			: explanations.at(-1)?.fix;
	return (
		<>
			{refusals.length > 1 && (
				<p>
					<strong>{count(refusals.length, "thing")} to mend:</strong>
				</p>
			)}
			{refusals.map((refusal, index) => (
				<article key={index} class="notice bad refusal">
					<h3>
						{refusal.explanations[0]?.means ?? "It is refused."}
						{refusal.path !== undefined && <code class="at">{escapeForDisplay(placeOf(refusal) ?? "")}</code>}
					</h3>
					{refusal.explanations.length > 1 && <p>{refusal.explanations.at(-1)?.means}</p>}
					<p>{escapeForDisplay(refusal.message)}</p>
					{refusal.explanations.length > 0 && (
						<p>
							<strong>What to do:</strong> {fixOf(refusal)}
						</p>
					)}
					<p class="refusal-code">
						<code>{refusal.code}</code>
						{refusal.pointer !== undefined && refusal.pointer !== "" && (
							<>
								{" "}
								at <code>{escapeForDisplay(refusal.pointer)}</code>
							</>
						)}
					</p>
				</article>
			))}
		</>
	);
}
