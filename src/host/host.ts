import { inspectPackage, PackageError } from "../package/index.ts";
import type { RunHandler } from "../sdk/index.ts";
import { type Digest, isDigest } from "../sha256.ts";
import type { AbortSignal } from "../web.ts";
import { admitContext, type Context } from "./admission.ts";
import { ChannelRoom } from "./channels.ts";
import { invocationChannels, pass } from "./corridor.ts";
import { checkDurable, DurableRun } from "./durable.ts";
import { HostError, RunFailure, saying } from "./errors.ts";
import { type HostLimits, resolveLimits } from "./limits.ts";
import { type LoadedPackage, loadedPackage, Stage, stageOf } from "./loaded.ts";
import type { Run, RunOptions, RunReport } from "./options.ts";
import { type Ending, refused, type Tree } from "./passage.ts";
import type { HostRuntime, Launch, StagedPackage, StageProgress } from "./ports.ts";
import { RootChannels } from "./root-channels.ts";
import { Stop } from "./stop.ts";
import { harmless, TraceHub } from "./trace.ts";

export interface HostOptions {
	readonly runtime: HostRuntime;
	/** Any of the named limits; the rest keep their defaults. */
	readonly limits?: Partial<HostLimits> | undefined;
}

export interface LoadOptions {
	/** Refuse any other package before anything of it can run. */
	readonly expect?: Digest | undefined;
	readonly signal?: AbortSignal | undefined;
	/**
	 * Runs this function of the host's program in place of the package's entrypoint, behind a pipe in memory: everything
	 * else of the package counts (FLOW.md, schemas, contracts), and its Runs go the same way. Without isolation: only for
	 * code that is trusted as the host itself is.
	 */
	readonly handler?: RunHandler | undefined;
	/**
	 * Starts this package's components in place of the runtime's launcher, which isn't asked whether it could: in a thread, as
	 * `workerLauncher()` of `millrace/node` does, on another machine, or with a command of its own. Not beside `handler`.
	 */
	readonly launch?: Launch | undefined;
	/** Give each file in `snapshot.files` a SHA-256 of its own; hashing then costs twice. */
	readonly manifest?: boolean | undefined;
	/** Copying first, then hashing, each from nothing to all. */
	readonly onProgress?: ((progress: StageProgress) => void) | undefined;
}

/** Runs packages in one environment. It holds nothing between calls: there is nothing to close. */
export interface Host {
	readonly limits: HostLimits;
	/**
	 * Copies a package into a private stage, inspects the copy and digests it. `source` is a `PackageSource` or a source
	 * of the runtime's adapter. Rejects with a `HostError` of phase `package` whose code is the package's own
	 * (`PACKAGE_DIGEST_MISMATCH` where `expect` is another) and whose cause is the `PackageError`; leaves nothing behind.
	 */
	load(source: unknown, options?: LoadOptions): Promise<LoadedPackage>;
	/**
	 * Starts one Run of a loaded package. Settings, input, attachments, providers and children are checked before anything
	 * starts; every failure comes as a `RunFailure` through `result`. Throws a `TypeError` or `RangeError` for options
	 * that are malformed in themselves.
	 */
	run(pack: LoadedPackage, options: RunOptions): Run;
}

/** What a runtime is recognised by: the functions of the port. */
const PORT = ["stage", "launcherFor", "launch", "scratch", "attach", "now", "monotonic", "schedule", "sha256"] as const;

/**
 * Makes a host over an environment. Throws a `TypeError` for a `runtime` that is missing or lacks a function of the port,
 * and a `RangeError` for a limit out of its domain.
 */
export function createHost(options: HostOptions): Host {
	const runtime = runtimeOf(options);
	const limits = resolveLimits(options.limits);
	return Object.freeze({
		limits,
		load: (source: unknown, loading: LoadOptions = {}) => load(runtime, source, loading),
		run: (pack: LoadedPackage, running: RunOptions) => run(runtime, limits, pack, running),
	});
}

function runtimeOf(options: HostOptions | undefined): HostRuntime {
	const runtime: Partial<HostRuntime> | null | undefined = options?.runtime;
	if (typeof runtime !== "object" || runtime === null) {
		throw new TypeError('createHost needs options.runtime, as nodeRuntime() of "millrace/node" gives one.');
	}
	const lacks = PORT.find((name) => typeof runtime[name] !== "function");
	if (lacks !== undefined) throw new TypeError(`options.runtime has no function "${lacks}".`);
	return runtime as HostRuntime;
}

async function load(runtime: HostRuntime, source: unknown, options: LoadOptions): Promise<LoadedPackage> {
	const { expect, signal, onProgress } = options;
	if (expect !== undefined && !isDigest(expect)) {
		throw new TypeError("options.expect must be sha256: and 64 lowercase hexadecimal digits.");
	}
	if (options.handler !== undefined && typeof options.handler !== "function") {
		throw new TypeError("options.handler must be a function.");
	}
	if (options.launch !== undefined && typeof options.launch !== "function") {
		throw new TypeError("options.launch must be a function.");
	}
	if (options.launch !== undefined && options.handler !== undefined) {
		throw new TypeError("options.launch and options.handler exclude each other.");
	}
	const observing = {
		...(signal === undefined ? {} : { signal }),
		...(onProgress === undefined ? {} : { onProgress }),
	};
	let staged: StagedPackage | undefined;
	try {
		staged = await runtime.stage(source, observing);
		const snapshot = await inspectPackage(staged.source, {
			...observing,
			...(expect === undefined ? {} : { expect }),
			manifest: options.manifest === true,
			sha256: runtime.sha256,
		});
		return loadedPackage(new Stage(staged, snapshot, options.handler, options.launch));
	} catch (cause) {
		await staged?.dispose().catch(() => undefined);
		throw loadFailure(cause, staged === undefined, signal?.aborted === true);
	}
}

function loadFailure(cause: unknown, staging: boolean, aborted: boolean): HostError {
	if (cause instanceof HostError) return cause;
	if (cause instanceof PackageError) {
		return new HostError(cause.message, { code: cause.code, phase: "package", cause });
	}
	if (aborted) return new HostError("Loading was aborted.", { code: "PACKAGE_ABORTED", phase: "package", cause });
	const what = staging ? "copied into a private stage" : "inspected";
	return new HostError(`The package could not be ${what}: ${saying(cause)}`, {
		code: "PACKAGE_STAGE_FAILED",
		phase: "package",
		cause,
	});
}

function run(runtime: HostRuntime, limits: HostLimits, pack: LoadedPackage, options: RunOptions): Run {
	const stage = stageOf(pack);
	if (stage === undefined) throw new TypeError("host.run needs a package that host.load gave.");
	if (!Object.hasOwn(options, "input")) throw new TypeError("options.input is required; use null for none.");
	const deadlineMs = options.deadlineMs ?? limits.defaultDeadlineMs;
	if (!Number.isFinite(deadlineMs) || deadlineMs <= 0 || deadlineMs > limits.maxDeadlineMs) {
		throw new RangeError(`options.deadlineMs must be above 0 and at most ${limits.maxDeadlineMs}.`);
	}
	const operations = checkDurable(options.operations);
	const admitted = tryAdmit(() => {
		const context = admitContext(stage, options, runtime);
		return { context, connected: new RootChannels(stage, options.channels, runtime) };
	});
	const hub = new TraceHub(limits, options.onTrace);
	const started = runtime.monotonic();
	const deadline = { unixMs: Math.floor(runtime.now() + deadlineMs), monotonicMs: started + deadlineMs };
	const stop = new Stop(runtime, deadline);
	stop.follow(options.signal);
	const { digest } = stage.snapshot;
	const tree: Tree = {
		runtime,
		limits,
		deadline,
		channels: new ChannelRoom(limits, (event) => tree.note([], digest, { type: "channel", event })),
		durable:
			operations === undefined
				? undefined
				: new DurableRun(operations, runtime.sha256, (error) => stop.request("cancel", error)),
		running: 0,
		observed: () => hub.observed,
		note: (path, of, event) => {
			if (hub.observed) hub.emit({ atMs: runtime.monotonic() - started, path, digest: of, event });
		},
	};
	const stderr = (bytes: Uint8Array): void => {
		if (options.onStderr !== undefined) harmless(options.onStderr, bytes);
	};

	/** What the root has sealed is drained by the program, which the deadline and `cancel` bound like the Run. */
	const draining = new Stop(runtime, deadline);
	draining.follow(options.signal);

	async function go({ context, connected }: Admitted): Promise<Ending> {
		const channels = invocationChannels(tree, context, []);
		const failed = (port: string, error: unknown): void =>
			tree.note([], digest, { type: "channel-failed", port, error });
		const ending = await pass({
			tree,
			context,
			input: options.input,
			channels,
			ports: connected.ports,
			connect: () => connected.connect(tree.channels, channels.participant, failed),
			launching: () => connected.start(),
			path: [],
			stop,
			stderr,
		});
		await connected.finish(new Promise((resolve) => draining.listen(resolve)), limits.cancelGraceMs);
		return ending;
	}

	async function conclude(): Promise<RunReport> {
		const ending = admitted instanceof HostError ? await refuse(tree, stop, digest, admitted) : await go(admitted);
		draining.close();
		const durationMs = runtime.monotonic() - started;
		hub.close();
		return report(ending, digest, durationMs);
	}

	const result = conclude();
	// Each caller that awaits `result` sees the rejection; one that never does must not end the program.
	result.catch(() => undefined);
	return Object.freeze({
		result,
		trace: () => hub.iterate(),
		cancel: (reason?: unknown) => {
			stop.request("cancel", reason);
			draining.request("cancel", reason);
		},
	});
}

interface Admitted {
	readonly context: Context;
	readonly connected: RootChannels;
}

/** A refusal is a result like any other failure; a malformed option is thrown. */
function tryAdmit(admit: () => Admitted): Admitted | HostError {
	try {
		return admit();
	} catch (error) {
		if (error instanceof HostError) return error;
		throw error;
	}
}

async function refuse(tree: Tree, stop: Stop, digest: Digest, error: HostError): Promise<Ending> {
	stop.close();
	// Whoever asked for the Run gets to look at it before its first event.
	await undefined;
	tree.note([], digest, { type: "failed", code: error.code, phase: error.phase, message: error.message });
	return refused(error);
}

function report(ending: Ending, digest: Digest, durationMs: number): RunReport {
	const { failure, result, stderr } = ending;
	if (failure !== undefined) {
		throw new RunFailure(failure.message, { ...failure, digest, durationMs, stderr, result });
	}
	return { ...result!, digest, durationMs, stderr };
}
