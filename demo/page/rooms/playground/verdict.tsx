/** What came of it, in words first: the verdict, where it fails, and what it cost. */
import { type Diagnostic, SCHEMA_LIMITS } from "millrace";
import type { ComponentChildren, JSX } from "preact";
import { count, formatNumber } from "../../parts/format.ts";
import { type Fault, type Outcome, sourcePointerOf } from "./check.ts";

export interface VerdictProps {
	/** Why the source on the left can't be used. */
	readonly sourceFault: Fault | undefined;
	readonly sourceName: string;
	readonly outcome: Outcome | undefined;
	readonly onGo: (side: "source" | "instance", pointer: string) => void;
	/** To the mark of a fault. */
	readonly onFault: (side: "source" | "instance", fault: Fault) => void;
}

export function Verdict({ sourceFault, sourceName, outcome, onGo, onFault }: VerdictProps): JSX.Element {
	return (
		<section class="sheet" aria-labelledby="verdict">
			<div aria-live="polite">
				<h2 id="verdict" data-testid="verdict">
					{headline(sourceFault, sourceName, outcome)}
				</h2>
			</div>
			{sourceFault !== undefined && <FaultLine fault={sourceFault} onGo={() => onFault("source", sourceFault)} />}
			{outcome?.verdict === "unread" && (
				<FaultLine fault={outcome.fault} onGo={() => onFault("instance", outcome.fault)} />
			)}
			{outcome?.verdict === "exhausted" && (
				<p>
					{outcome.message} An evaluation may cost {formatNumber(SCHEMA_LIMITS.work)} units of work; whether the
					instance would be valid is not known, and every implementation stops at the same unit.
				</p>
			)}
			{outcome?.verdict === "invalid" && <Diagnostics diagnostics={outcome.diagnostics} onGo={onGo} />}
		</section>
	);
}

function headline(sourceFault: Fault | undefined, sourceName: string, outcome: Outcome | undefined): ComponentChildren {
	if (sourceFault !== undefined) return <span class="bad">✗ The {sourceName} can't be used</span>;
	if (outcome === undefined) return <span class="quiet">No verdict yet</span>;
	switch (outcome.verdict) {
		case "valid":
			return <span class="good">✓ Valid</span>;
		case "invalid":
			return (
				<span class="bad">
					✗ Invalid: {count(outcome.diagnostics.length, "place")}
					{outcome.diagnostics.length === 1_024 && " or more"}
				</span>
			);
		case "exhausted":
			return <span class="warn">■ Too much work: no verdict</span>;
		case "unread":
			return <span class="bad">✗ The instance is no JSON/1</span>;
	}
}

function FaultLine({ fault, onGo }: { readonly fault: Fault; readonly onGo: () => void }): JSX.Element {
	const { code, message, place, pointer, mark } = fault;
	const where =
		place === undefined
			? pointer !== undefined && pointer !== "" && pointer
			: `line ${place.line}, column ${place.column}, byte ${place.offset}`;
	return (
		<p>
			{message}{" "}
			{where &&
				(mark === undefined ? (
					<span class="quiet">({where})</span>
				) : (
					<button type="button" class="pointer" onClick={onGo}>
						{where}
					</button>
				))}{" "}
			<code class="quiet">{code}</code>
		</p>
	);
}

/** Diagnostics that are listed at most; a person begins at the top. */
const LISTED = 100;

function Diagnostics({
	diagnostics,
	onGo,
}: {
	readonly diagnostics: readonly Diagnostic[];
	readonly onGo: VerdictProps["onGo"];
}): JSX.Element {
	return (
		<>
			<ol class="diagnostics">
				{diagnostics.slice(0, LISTED).map((diagnostic) => {
					const { instancePointer, message } = diagnostic;
					const schemaPointer = sourcePointerOf(diagnostic);
					return (
						<li key={`${instancePointer} ${schemaPointer} ${message}`}>
							{message}{" "}
							<button type="button" class="pointer" onClick={() => onGo("instance", instancePointer)}>
								{instancePointer === "" ? "the whole instance" : instancePointer}
							</button>{" "}
							by{" "}
							<button type="button" class="pointer" onClick={() => onGo("source", schemaPointer)}>
								{schemaPointer === "" ? "the root" : schemaPointer}
							</button>
						</li>
					);
				})}
			</ol>
			{diagnostics.length > LISTED && <p class="quiet">… and {formatNumber(diagnostics.length - LISTED)} more.</p>}
		</>
	);
}
