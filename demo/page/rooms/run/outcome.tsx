/** How a Run ended: what it answered, or why it has no answer and what to do. */
import type { JsonValue } from "millrace";
import { HostError, RunFailure, type StderrTail } from "millrace/host";
import type { JSX } from "preact";
import { CopyButton } from "../../parts/copy-button.tsx";
import { formatBytes, formatDuration } from "../../parts/format.ts";
import { adviceFor } from "./advice.ts";
import type { Exit, Received } from "./execution.ts";
import type { RunRoom, RunState } from "./room.ts";
import { JsonView } from "./trace/json-view.tsx";

/** Characters of the diagnostics that are shown, from their end. */
const TAIL = 8_192;

export function Outcome({ room }: { readonly room: RunRoom }): JSX.Element | null {
	const state = room.state.value;
	if (state.kind !== "done" && state.kind !== "failed") return null;
	const kind = state.kind === "failed" && codeOf(state.failure) === "CANCELLED" ? "cancelled" : state.kind;
	return (
		<section class={`sheet run-outcome ${kind}`} aria-labelledby="run-outcome" aria-live="polite">
			{state.kind === "done" ? <Done state={state} /> : <Failed state={state} room={room} />}
			{[...state.execution.received].map(([name, received]) => (
				<Sent key={name} name={name} received={received} />
			))}
		</section>
	);
}

function Done({ state: { report, execution } }: { readonly state: Extract<RunState, { kind: "done" }> }): JSX.Element {
	const { outcome, output, durationMs, stderr } = report;
	return (
		<>
			<h2 id="run-outcome">
				<span class="good">Accepted:</span> <code>{outcome}</code>{" "}
				<span class="quiet run-time">after {formatDuration(durationMs)}</span>
			</h2>
			<Value label="Output" value={output} />
			<p class="quiet">{exitWords(execution.exit)}</p>
			<Diagnostics stderr={stderr} />
		</>
	);
}

interface FailedProps {
	readonly state: Extract<RunState, { kind: "failed" }>;
	readonly room: RunRoom;
}

function Failed({ state: { failure, execution }, room }: FailedProps): JSX.Element {
	const code = codeOf(failure);
	const run = failure instanceof RunFailure ? failure : undefined;
	return (
		<>
			<h2 id="run-outcome">
				{code === "CANCELLED" ? (
					"Cancelled "
				) : (
					<>
						<span class="bad">Failed:</span> <code>{code}</code>{" "}
					</>
				)}
				{run !== undefined && <span class="quiet run-time">after {formatDuration(run.durationMs)}</span>}
			</h2>
			<p>{failure.message}</p>
			<p>
				<strong>What to do.</strong> {adviceFor(code)}
			</p>
			{[...execution.unbound].map((slot) => (
				<p key={slot}>
					It called the child slot <code>{slot}</code>.{" "}
					<button type="button" class="plain copy" onClick={() => room.addChild(slot)}>
						Give it a package
					</button>
				</p>
			))}
			<dl class="facts">
				{failure instanceof HostError && (
					<>
						<dt>Phase</dt>
						<dd>{failure.phase}</dd>
					</>
				)}
				<dt>Exit</dt>
				<dd>{exitWords(execution.exit)}</dd>
			</dl>
			{run?.details !== undefined && <Value label="Details" value={run.details} />}
			{run?.result !== undefined && (
				<Value label={`Accepted before it failed: ${run.result.outcome}`} value={run.result.output} />
			)}
			{run !== undefined && <Diagnostics stderr={run.stderr} />}
		</>
	);
}

function codeOf(failure: Error): string {
	return failure instanceof HostError ? failure.code : failure.name;
}

function exitWords(exit: Exit | undefined): string {
	if (exit === undefined) return "It never started.";
	if (exit.exitCode === 0) return "Its Worker ended by itself, exit 0.";
	if (exit.exitCode !== null) return `Its Worker ended with exit ${exit.exitCode}: something was thrown.`;
	return exit.signal === null ? "Nobody can tell how its Worker ended." : "Its Worker was ended by the host.";
}

function Value({ label, value }: { readonly label: string; readonly value: JsonValue }): JSX.Element {
	const text = JSON.stringify(value, undefined, 2);
	return (
		<div class="run-value">
			<p class="row">
				<strong>{label}</strong> <CopyButton text={text} />
			</p>
			<JsonView text={text} />
		</div>
	);
}

function Diagnostics({ stderr }: { readonly stderr: StderrTail }): JSX.Element | null {
	if (stderr.bytes === 0) return null;
	const shown = stderr.text.slice(-TAIL);
	const whole = !stderr.truncated && shown.length === stderr.text.length;
	return (
		<div class="run-value">
			<p class="row">
				<strong>What it printed</strong>
				<span class="quiet">{whole ? formatBytes(stderr.bytes) : `the end of ${formatBytes(stderr.bytes)}`}</span>
			</p>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
			<pre tabIndex={0}>{shown}</pre>
		</div>
	);
}

function Sent({
	name,
	received: { count, items },
}: {
	readonly name: string;
	readonly received: Received;
}): JSX.Element {
	const label = items.length < count ? `Sent to ${name}: the first ${items.length} of ${count}` : `Sent to ${name}`;
	return <Value label={label} value={items} />;
}
