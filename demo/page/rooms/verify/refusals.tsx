import type { JSX } from "preact";
import type { Refusal } from "./explain.ts";

/** Each refusal at its place, with the reason and the way out. */
export function Refusals({ refusals }: { readonly refusals: readonly Refusal[] }): JSX.Element {
	return (
		<>
			{refusals.map((refusal) => (
				<article key={refusal.code + refusal.message} class="notice bad refusal">
					<h3>
						{refusal.explanations[0]?.means ?? "It is refused."}
						{refusal.path !== undefined && <code class="at">{placeOf(refusal)}</code>}
					</h3>
					<p>{refusal.message}</p>
					{refusal.explanations.slice(1).map(({ means }) => (
						<p key={means}>{means}</p>
					))}
					{refusal.explanations.length > 0 && (
						<p>
							<strong>What to do:</strong> {refusal.explanations.at(-1)?.fix}
						</p>
					)}
					<p class="quiet">
						<code>{refusal.code}</code>
						{refusal.pointer !== undefined && refusal.pointer !== "" && (
							<>
								{" "}
								at <code>{refusal.pointer}</code>
							</>
						)}
					</p>
				</article>
			))}
		</>
	);
}

function placeOf({ path, line, column }: Refusal): string {
	if (line === undefined) return path ?? "";
	return `${path}:${line}${column === undefined ? "" : `:${column}`}`;
}
