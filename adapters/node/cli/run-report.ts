import { escapeForDisplay, quoteForDisplay } from "../../../src/display.ts";
import type { LoadedPackage, RunEvent, RunReport } from "../../../src/host/index.ts";
import { count, type Output, paint } from "./output.ts";
import { formatBytes } from "./progress.ts";

/** Says what a package is and which parts of it were checked when it was loaded. */
export function notePackage(output: Output, { digest, snapshot }: LoadedPackage, slot?: string): void {
	const { metadata, files, schemas, uses, channelContracts } = snapshot;
	const bytes = files.reduce((sum, file) => sum + file.size, 0);
	const contracts = [...uses.values()].flatMap((use) => ("contract" in use ? [use.path] : []));
	const checked = [
		"tree",
		"FLOW.md",
		...Object.keys(schemas).map((name) => `${name}.schema.json`),
		...[...contracts, ...channelContracts.keys()].map(escapeForDisplay),
	];
	if (slot === undefined) output.note("package", `${metadata.name} ${digest}`);
	else output.note("child", `${escapeForDisplay(slot)}: ${metadata.name} ${digest}`);
	output.note("checked", `${count(files.length, "file")}, ${formatBytes(bytes)}: ${checked.join(", ")}`);
	for (const { path, message } of snapshot.advisories)
		output.note("advisory", paint.yellow(`${escapeForDisplay(path)}: ${escapeForDisplay(message)}`));
}

/** Says what happens in a Run as it happens: nothing is called accepted before it is. */
export class RunNotes {
	readonly #output: Output;
	readonly #pack: LoadedPackage;
	#children = { accepted: 0, failed: 0 };
	#recalled = { settled: 0, uncertain: 0, other: 0 };
	#unbound: string | undefined;

	constructor(output: Output, pack: LoadedPackage) {
		this.#output = output;
		this.#pack = pack;
	}

	/** The first child slot that the root called and that nothing is bound to. */
	get unboundChild(): string | undefined {
		return this.#unbound;
	}

	observe({ path, event }: RunEvent): void {
		if (event.type === "operation-recalled") this.#recall(event.status);
		else if (event.type === "operation-unrecorded") this.#unrecorded(event.slot, event.step);
		if (path.length > 0) {
			if (event.type === "succeeded") this.#children.accepted += 1;
			if (event.type === "failed") this.#children.failed += 1;
		} else if (event.type === "activating") this.#admitted();
		else if (event.type === "operation-unbound" && event.target === "child") this.#unbound ??= event.slot;
		else if (event.type === "launched") this.#output.note("started", escapeForDisplay(event.description));
		else if (event.type === "operations-claimed")
			this.#output.note("store", `key ${quoteForDisplay(event.key)}: ${count(event.recorded, "operation")} recorded`);
		else if (event.type === "stopping")
			this.#output.note("stopping", `${event.step}: ${escapeForDisplay(event.reason)}`);
		else if (event.type === "cleanup-failed")
			this.#output.note("left", `${escapeForDisplay(event.what)} could not be removed`);
	}

	/** The host has checked settings, attachments, children and input by now. */
	#admitted(): void {
		const { schemas } = this.#pack.snapshot;
		this.#output.note(
			"input",
			schemas.input === undefined ? "any JSON/1 value: there is no input.schema.json" : "accepted by input.schema.json",
		);
		if (schemas.settings !== undefined) this.#output.note("settings", "accepted by settings.schema.json");
	}

	#recall(status: "settled" | "uncertain" | "forgotten" | "conflict"): void {
		if (status === "settled" || status === "uncertain") this.#recalled[status] += 1;
		else this.#recalled.other += 1;
	}

	#unrecorded(slot: string, step: "begin" | "settle" | "recall"): void {
		const what = { begin: "not started, as it", settle: "uncertain, as its end", recall: "uncertain, as its result" };
		const how = step === "recall" ? "read" : "recorded";
		this.#output.note("store", paint.yellow(`a call of ${slot} is ${what[step]} could not be ${how}`));
	}

	/** How the calls that an earlier Run recorded were answered. */
	ended(): void {
		const { settled, uncertain, other } = this.#recalled;
		const parts = [
			...(settled > 0 ? [`${count(settled, "call")} answered with the result on record`] : []),
			...(uncertain > 0 ? [paint.yellow(`${count(uncertain, "call")} UNCERTAIN`)] : []),
			...(other > 0 ? [`${count(other, "call")} refused`] : []),
		];
		if (parts.length > 0) this.#output.note("recalled", parts.join(", "));
	}

	accepted({ outcome, durationMs }: RunReport): void {
		const { schemas, outcomes } = this.#pack.snapshot;
		const { accepted, failed } = this.#children;
		const calls = [
			...(accepted > 0 ? [`${count(accepted, "child Run")} accepted`] : []),
			...(failed > 0 ? [`${count(failed, "child Run")} failed`] : []),
		].map((each) => `${each}, `);
		this.#output.note(
			"run",
			`one answer, ${calls.join("")}nothing left pending, stdout ended, exit 0: ${Math.round(durationMs)} ms`,
		);
		const declared = outcomes.get(outcome);
		const about =
			declared === undefined ? "the outcome that every package has" : `declared: ${escapeForDisplay(declared)}`;
		const schema =
			schemas.result === undefined ? "there is no result.schema.json" : "the whole result fits result.schema.json";
		this.#output.note("accepted", `outcome ${paint.green(outcome)} (${about}); ${schema}`);
	}
}
