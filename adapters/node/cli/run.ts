import type { Digest } from "../../../src/digest.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import {
	createHost,
	type DurableOptions,
	HOST_LIMITS,
	type Host,
	type LoadedPackage,
	RunFailure,
	type RunReport,
} from "../../../src/host/index.ts";
import type { JsonObject, JsonValue } from "../../../src/json/index.ts";
import { nodeRuntime } from "../runtime.ts";
import { parseAttachments, parseChannels, parseChildren } from "./bindings.ts";
import { ChannelFiles } from "./channels.ts";
import { noteStderrTail, StderrPrinter } from "./component-stderr.ts";
import { checkDurable, withStore } from "./durable.ts";
import { Detailed, describeFailure } from "./failure.ts";
import { readValue } from "./input.ts";
import { interruptSignal } from "./interrupt.ts";
import { explainMismatch } from "./mismatch.ts";
import { type Output, safeJson } from "./output.ts";
import { checkPrefixFor, withPackage } from "./package-at.ts";
import { withProgress } from "./progress.ts";
import { notePackage, RunNotes } from "./run-report.ts";
import { checkPlace, openTrace, type TraceFile } from "./trace.ts";
import { UsageError } from "./usage.ts";

export interface RunCommandOptions {
	readonly input: string;
	readonly settings: string;
	readonly attach: readonly string[];
	readonly trustAttachments?: boolean;
	/** Milliseconds. */
	readonly deadline: number;
	readonly child: readonly string[];
	readonly channel: readonly string[];
	readonly prefix?: string;
	readonly expect?: Digest;
	readonly trace?: string;
	readonly traceValues?: boolean;
	readonly stderr?: boolean;
	readonly store?: string;
	readonly key?: string;
}

/** Everything that the command line gives a Run, read and understood. */
interface Request {
	readonly input: JsonValue;
	readonly settings: JsonObject;
	readonly attachments: ReturnType<typeof parseAttachments>;
	readonly children: ReturnType<typeof parseChildren>;
	readonly channels: ChannelFiles;
	readonly dirs: readonly string[];
	readonly options: RunCommandOptions;
	/** Where its operations are kept beyond it, once that is open. */
	readonly operations?: DurableOptions | undefined;
}

/** `millrace run DIR|ARCHIVE`: load, check, run and accept, with every step said on stderr and the output on stdout. */
export async function runCommand(dir: string, options: RunCommandOptions, output: Output): Promise<void> {
	const request = await readRequest(dir, options, output);
	// From here on there are things to undo; until now a signal may simply end the process.
	const signal = interruptSignal();
	const runtime = nodeRuntime({ trustReadWriteAttachments: options.trustAttachments === true });
	const packages = new Packages(createHost({ runtime }), options.prefix, signal, output);
	const { channels } = request;
	let report: RunReport;
	try {
		report = await withStore(options, (operations) =>
			loadAndRun(dir, { ...request, operations }, packages, signal, output),
		);
	} catch (error) {
		await channels.close(false);
		await packages
			.dispose()
			.catch((left: unknown) => output.note("left", escapeForDisplay(describeFailure(left).message)));
		throw error;
	}
	await channels.close(true);
	await packages.dispose();
	const result = safeJson(report.output, 2);
	// stdout has the items then, and a reader must be able to tell.
	if (channels.printing) output.note("result", result);
	await output.answer(channels.printing ? "" : result, {
		status: "succeeded",
		outcome: report.outcome,
		output: report.output,
		digest: report.digest,
		durationMs: Math.round(report.durationMs),
	});
}

/** Reads the command line's values, files included. Throws `UsageError` for what can't be meant. */
async function readRequest(dir: string, options: RunCommandOptions, output: Output): Promise<Request> {
	if (options.input === "-" && options.settings === "-")
		throw new UsageError("only one of --input and --settings can be -");
	if (options.traceValues === true && options.trace === undefined)
		throw new UsageError("--trace-values needs --trace FILE");
	if (options.deadline > HOST_LIMITS.maxDeadlineMs)
		throw new UsageError(`--deadline can be ${HOST_LIMITS.maxDeadlineMs / 3_600_000}h at most`);
	const attachments = parseAttachments(options.attach);
	const children = parseChildren(options.child);
	const dirs = [dir, ...children.map((child) => child.dir)];
	checkPrefixFor(dirs, options.prefix);
	if (options.trace !== undefined) checkPlace("--trace", options.trace, dirs);
	checkDurable(options, dirs);
	return {
		input: await readValue("--input", options.input),
		// What isn't an object is refused by the host, with the code that says so.
		settings: (await readValue("--settings", options.settings)) as JsonObject,
		attachments,
		children,
		channels: new ChannelFiles(parseChannels(options.channel), output),
		dirs,
		options,
	};
}

async function loadAndRun(
	dir: string,
	request: Request,
	packages: Packages,
	signal: AbortSignal,
	output: Output,
): Promise<RunReport> {
	const { input, settings, attachments, options, operations } = request;
	const pack = await packages.load(dir, options.expect);
	const children: [string, LoadedPackage][] = [];
	for (const { name, dir: childDir, expect } of request.children)
		children.push([name, await packages.load(childDir, expect, name)]);
	const { channels } = request;
	const stdinTaken = options.input === "-" || options.settings === "-";
	await channels.open(pack.snapshot.channels, { packages: request.dirs, stdinTaken });
	const trace = startTrace(options, output);
	const notes = new RunNotes(output, pack);
	const printer = options.stderr === true ? new StderrPrinter() : undefined;
	try {
		const run = packages.host.run(pack, {
			input,
			settings,
			attachments: Object.fromEntries(attachments.map(({ name, ...source }) => [name, source])),
			children: Object.fromEntries(children),
			channels: channels.channels,
			deadlineMs: options.deadline,
			operations,
			signal,
			onTrace: (event) => {
				notes.observe(event);
				trace?.write(event);
			},
			...(printer === undefined ? {} : { onStderr: (chunk: Uint8Array) => printer.write(chunk) }),
		});
		channels.onFailure((error) => run.cancel(error));
		const report = await run.result;
		notes.accepted(report);
		if (channels.failure !== undefined) throw channels.failure;
		return report;
	} catch (error) {
		// The Run ended because of it, however it ended.
		if (channels.failure !== undefined) throw channels.failure;
		if (!(error instanceof RunFailure)) throw error;
		if (printer === undefined) noteStderrTail(output, error.stderr);
		throw explained(error, pack, request, notes.unboundChild);
	} finally {
		notes.ended();
		printer?.end();
		trace?.close();
	}
}

function startTrace({ trace: file, traceValues = false }: RunCommandOptions, output: Output): TraceFile | undefined {
	if (file === undefined) return undefined;
	const trace = openTrace(file, traceValues);
	const what = traceValues ? "values included, for its owner's eyes" : "values elided";
	output.note("trace", `${escapeForDisplay(file)}: ${what}`);
	return trace;
}

/** A failure with what the command knows besides: every diagnostic of its own values, and what mostly is behind it. */
function explained(
	error: RunFailure,
	pack: LoadedPackage,
	{ input, settings }: Request,
	unbound: string | undefined,
): Error {
	const { code, phase } = error;
	if (code === "CHANNEL_UNCONNECTED")
		return new Detailed(error, { hints: ["--channel NAME=FILE connects a port; - is stdin or stdout"] });
	if (code === "OPERATION_KEY_MISMATCH")
		return new Detailed(error, { hints: ["millrace operations delete FILE --key KEY forgets what a key has"] });
	if (phase === "run" && code === "UNAVAILABLE" && unbound !== undefined)
		return new Detailed(error, { hints: [`--child ${unbound}=DIR binds a package to the slot "${unbound}"`] });
	if (phase === "run" && (code === "PROTOCOL_ERROR" || code === "CHANNEL_LOST"))
		return new Detailed(error, { hints: [USUAL_CAUSES[code]] });
	if (phase !== "activation" || (code !== "INVALID_INPUT" && code !== "INVALID_SETTINGS")) return error;
	const { schemas } = pack.snapshot;
	const [schema, value] = code === "INVALID_INPUT" ? [schemas.input, input] : [schemas.settings, settings];
	// The host names the first violation of an input or of settings; an author wants all of them, with what they say.
	const diagnostics = schema?.evaluate(value, { all: true, code }).diagnostics ?? [];
	if (diagnostics.length === 0) return error;
	const forgotten = code === "INVALID_INPUT" && input === null;
	return new Detailed(error, { diagnostics, ...(forgotten ? { hints: [WITHOUT_INPUT] } : {}) });
}

const WITHOUT_INPUT = "without --input, the input is null; --input '{…}' or --input @FILE gives one";

const USUAL_CAUSES = {
	PROTOCOL_ERROR: "only the protocol may use a component's stdout; once handle was called, console.log goes to stderr",
	CHANNEL_LOST: "does the entrypoint call handle?",
} as const;

/** The packages of one command: loaded one after the other, told, and disposed together. */
class Packages {
	readonly host: Host;
	readonly #prefix: string | undefined;
	readonly #signal: AbortSignal;
	readonly #output: Output;
	readonly #loaded: LoadedPackage[] = [];

	constructor(host: Host, prefix: string | undefined, signal: AbortSignal, output: Output) {
		this.host = host;
		this.#prefix = prefix;
		this.#signal = signal;
		this.#output = output;
	}

	/** Loads one package. A refused child is named by its slot, since the parent has been called checked by then. */
	async load(dir: string, expect: Digest | undefined, slot?: string): Promise<LoadedPackage> {
		try {
			return await this.#load(dir, expect, slot);
		} catch (error) {
			if (slot === undefined) throw error;
			throw new Detailed(error, { message: `Child slot "${slot}": ${describeFailure(error).message}`, slot });
		}
	}

	#load(dir: string, expect: Digest | undefined, slot: string | undefined): Promise<LoadedPackage> {
		const signal = this.#signal;
		return withPackage(dir, { prefix: this.#prefix, signal }, (source) =>
			explainMismatch(source, expect, async () => {
				const options = { signal, ...(expect === undefined ? {} : { expect }) };
				const pack = await withProgress(this.#output, (onProgress) =>
					this.host.load(source, { ...options, onProgress }),
				);
				this.#loaded.push(pack);
				notePackage(this.#output, pack, slot);
				return pack;
			}),
		);
	}

	/** Removes every stage. Rejects with the first failure once all were tried. */
	async dispose(): Promise<void> {
		const results = await Promise.allSettled(this.#loaded.map((each) => each.dispose()));
		const failed = results.find((result) => result.status === "rejected");
		if (failed !== undefined) throw failed.reason;
	}
}
