import type { JsonValue } from "../json/index.ts";
import { type ChildCall, InvalidMessage, type OperationOutcome, type RootInvocation } from "../run/index.ts";
import type { Context } from "./admission.ts";
import { PackageContracts, portTerms } from "./channel-contracts.ts";
import { checkInput, checkResult } from "./check.ts";
import { DurableOperations } from "./durable-operations.ts";
import { type FailureCode, HostError, saying } from "./errors.ts";
import { childPlace, failure, placed } from "./failures.ts";
import { afterGrace } from "./grace.ts";
import { connects } from "./handed-over.ts";
import { startHandler } from "./in-process.ts";
import { InvocationChannels } from "./invocation-channels.ts";
import { type ChildRun, Operations } from "./operations.ts";
import { type Ending, type Failed, type Passage, refused, type Tree } from "./passage.ts";
import type { ComponentProcess } from "./ports.ts";
import { Stop } from "./stop.ts";
import { type Supervised, Supervisor } from "./supervisor.ts";
import type { HostEvent } from "./trace.ts";

/** The work behind a session's calls, kept beyond the Run or not. */
type OwnedOperations = Operations | DurableOperations;

/**
 * The corridor every invocation goes down, root or child: input, scratch, attachments, stage, launch, Run/1, exit,
 * cleanup, and only then the result (Run/1 section 9). Never rejects; leaves no timer, listener, file or process.
 * The caller has checked everything else (`admitContext`).
 */
export async function pass(passage: Passage): Promise<Ending> {
	const { tree, context, path, stop } = passage;
	const { digest } = context.stage.snapshot;
	const invocation = new Invocation(passage);
	let release: () => void = () => undefined;
	let ending: Ending;
	try {
		release = context.stage.hold();
		ending = await invocation.attempt();
	} catch (error) {
		ending = invocation.activationFailed(error);
	}
	passage.channels.end();
	stop.close();
	ending = await invocation.cleanUp(ending);
	release();
	const { failure: failed, result } = ending;
	if (failed !== undefined) {
		tree.note(path, digest, { type: "failed", code: failed.code, phase: failed.phase, message: failed.message });
	} else if (result !== undefined) {
		tree.note(path, digest, { type: "succeeded", outcome: result.outcome, output: result.output });
	}
	return ending;
}

class Invocation {
	readonly #passage: Passage;
	readonly #cleanups: { readonly what: string; run(): Promise<void> }[] = [];
	readonly #note: (event: HostEvent) => void;
	/** A launched component that was given up before it was supervised could not be proven gone. */
	#stray = false;
	#unclean = false;

	constructor(passage: Passage) {
		this.#passage = passage;
		const { digest } = passage.context.stage.snapshot;
		this.#note = (event) => passage.tree.note(passage.path, digest, event);
	}

	/** Everything but cleanup. Throws a `HostError` where the component was never spoken to. */
	async attempt(): Promise<Ending> {
		const { context, tree, stop, ports } = this.#passage;
		const { snapshot } = context.stage;
		const checked = checkInput(snapshot, this.#passage.input);
		if ("refusal" in checked) throw new HostError(checked.refusal.message, { phase: "activation", ...checked.refusal });
		for (const [name, channel] of snapshot.channels) {
			if (channel.required && !ports.includes(name)) {
				throw new HostError(`FLOW.md requires the channel "${name}"; nothing is connected to it.`, {
					code: "CHANNEL_UNCONNECTED",
					phase: "activation",
				});
			}
		}
		// Whoever asked for the Run gets to look at it before its first event.
		await undefined;
		this.#note({ type: "activating", package: snapshot.metadata.name, deadlineUnixMs: tree.deadline.unixMs });
		const grants = this.#passage.connect();
		if (grants instanceof HostError) throw grants;
		await this.#claim(checked.value);
		const root = await this.#prepare(checked.value, grants);
		const operations = this.#operations();
		const owned = this.#durable(operations);
		const supervisor = this.#supervisor(root, owned);
		this.#passage.launching?.();
		const component = await this.#launch(root.scratch);
		const supervised = await supervisor.run(component, stop);
		this.#unclean = operations.unclean;
		return this.#conclude(supervised, owned);
	}

	/** The root takes the key of its operations before anything starts; what is below it goes by the same claim. */
	async #claim(input: JsonValue): Promise<void> {
		const { context, tree, path, stop } = this.#passage;
		const { durable } = tree;
		if (durable === undefined || path.length > 0) return;
		const root = { package: context.stage.snapshot.digest, input, settings: context.settings };
		const claimed = await this.#step("OPERATION_STORE_FAILED", "The key of the operations could not be claimed", () =>
			durable.open(root, stop.signal),
		);
		this.#note({ type: "operations-claimed", key: durable.key, ...claimed });
	}

	/** Scratch and attachments, then a last look at the stage. */
	async #prepare(input: JsonValue, channels: RootInvocation["channels"]): Promise<RootInvocation> {
		const { context, tree, stop } = this.#passage;
		const { runtime } = tree;
		const scratch = await this.#step("SCRATCH_FAILED", "The scratch directory could not be made", () =>
			runtime.scratch(),
		);
		this.#cleanups.push({ what: "scratch", run: () => scratch.dispose() });
		const attachments: [string, RootInvocation["attachments"][string]][] = [];
		for (const { name, source, access } of context.attachments) {
			const root = await this.#step("ATTACHMENT_FAILED", `Attachment "${name}" could not be prepared`, () =>
				runtime.attach({ name, source, access, signal: stop.signal }),
			);
			this.#cleanups.push({ what: `attachment "${name}"`, run: () => root.dispose() });
			attachments.push([name, { path: root.path, access: root.access }]);
		}
		await this.#step("PACKAGE_STAGE_CHANGED", "The staged package could not be verified", async () =>
			context.stage.staged.verify?.(stop.signal),
		);
		return {
			input,
			settings: context.settings,
			attachments: Object.fromEntries(attachments),
			scratch: scratch.path,
			deadlineUnixMs: tree.deadline.unixMs,
			channels,
		};
	}

	async #launch(scratch: string): Promise<ComponentProcess> {
		const { context, tree, stop } = this.#passage;
		const { stage, entrypoint } = context;
		const component = await this.#step("LAUNCH_FAILED", "The component could not be started", async () => {
			if (entrypoint === undefined) return startHandler(stage.handler!, tree.runtime);
			const request = { staged: stage.staged, entrypoint, scratch, signal: stop.signal };
			return stage.launch === undefined ? tree.runtime.launch(request) : stage.launch(request);
		});
		this.#note({ type: "launched", description: component.description });
		if (stop.reason === undefined) return component;
		// Cancelled or expired before dispatch: nothing is written (Run/1 section 8).
		component.kill();
		const { gone } = await component.fence(tree.limits.fenceMs);
		this.#stray = !gone;
		throw this.#stopped();
	}

	/** One piece of activation; a stop that was recorded meanwhile is what counts. */
	async #step<T>(code: FailureCode, what: string, run: () => Promise<T>): Promise<T> {
		if (this.#passage.stop.reason !== undefined) throw this.#stopped();
		try {
			return await run();
		} catch (cause) {
			if (this.#passage.stop.reason !== undefined) throw this.#stopped();
			if (cause instanceof HostError) throw cause;
			const phase = code.startsWith("PACKAGE_") ? "package" : "activation";
			throw new HostError(`${what}: ${saying(cause)}`, { code, phase, cause });
		}
	}

	#stopped(): HostError {
		const late = this.#passage.stop.reason === "deadline";
		return new HostError(`The Run ${late ? "reached its deadline" : "was cancelled"} before its component was asked.`, {
			code: late ? "DEADLINE_EXCEEDED" : "CANCELLED",
			phase: "activation",
			cause: this.#passage.stop.cause,
		});
	}

	#operations(): Operations {
		const { context, tree, path, channels } = this.#passage;
		return new Operations({
			context,
			channels,
			note: this.#note,
			start: (child, call) => startChild(tree, child, [...path, call.operationId], call, channels),
			holder: (operationId) => tree.channels.invocation([...path, operationId]),
		});
	}

	#durable(work: Operations): OwnedOperations {
		const { tree, path } = this.#passage;
		const { durable, runtime, limits } = tree;
		if (durable === undefined) return work;
		const grace = (over: () => void): (() => void) => afterGrace(runtime, limits.cancelGraceMs, over);
		return new DurableOperations({ durable, scope: path, work, note: this.#note, grace });
	}

	/** The session checks the whole root frame here, before anything is launched. */
	#supervisor(root: RootInvocation, operations: OwnedOperations): Supervisor {
		const { context, tree, channels } = this.#passage;
		const { snapshot } = context.stage;
		try {
			return new Supervisor(root, {
				runtime: tree.runtime,
				limits: tree.limits,
				dispatch: (operation) => operations.dispatch(operation),
				abandon: (operation) => operations.abandon(operation),
				quiet: () => this.#quiet(operations),
				channels,
				// In the order of section 9: outcome and schema, then what the channels still owe.
				accept: (result) => {
					const refusal = checkResult(snapshot, result) ?? channels.finalise();
					if (refusal !== undefined) channels.end();
					return refusal;
				},
				note: this.#note,
				traced: tree.observed(),
				stderr: (bytes) => {
					this.#note({ type: "stderr", bytes });
					this.#passage.stderr(bytes);
				},
			});
		} catch (cause) {
			if (!(cause instanceof InvalidMessage)) throw cause;
			throw new HostError(`The invocation fits no Run/1 frame: ${cause.message}`, {
				code: "INVALID_INPUT",
				phase: "activation",
				cause,
			});
		}
	}

	/** Waits for the work that was asked to stop: children end in bounded time, functions get a grace. */
	async #quiet(operations: OwnedOperations): Promise<void> {
		// First: work that waits for the component at the other end of a channel must not wait out its grace.
		this.#passage.channels.end();
		operations.abandonAll();
		if (operations.idle) return;
		const { runtime, limits } = this.#passage.tree;
		const cancel = afterGrace(runtime, limits.cancelGraceMs, () => operations.forsake());
		await operations.quiet();
		cancel();
	}

	#conclude(supervised: Supervised, operations: OwnedOperations): Ending {
		const { conclusion, answer, gone, stderr } = supervised;
		const common = { gone, doubt: operations.doubt, clean: gone, stderr };
		const { tree, path } = this.#passage;
		// Its operations are another host's now: whatever it answered, that one may answer otherwise.
		const lost = path.length === 0 ? tree.durable?.lost : undefined;
		if (lost !== undefined) {
			return { ...common, failure: { code: lost.code, phase: "run", message: lost.message }, answered: false };
		}
		if (conclusion.status === "succeeded") return { ...common, result: conclusion.result, answered: false };
		const { code, message, details } = conclusion;
		// A cancellation or deadline was recorded before the answer, which was then not looked at.
		const stopped = code === "CANCELLED" || code === "DEADLINE_EXCEEDED";
		const phase = answer === "result" && !stopped ? "acceptance" : "run";
		const cause = code === "CANCELLED" ? this.#passage.stop.cause : undefined;
		return { ...common, failure: { code, phase, message, details, cause }, answered: answer === "failure" };
	}

	activationFailed(error: unknown): Ending {
		const known =
			error instanceof HostError
				? error
				: new HostError(`The Run failed: ${saying(error)}`, {
						code: "LAUNCH_FAILED",
						phase: "activation",
						cause: error,
					});
		return { ...refused(known), gone: !this.#stray, clean: !this.#stray };
	}

	/** Removes what was prepared, last first. A failure here never hides an earlier one, nor the result. */
	async cleanUp(ending: Ending): Promise<Ending> {
		const errors: unknown[] = [];
		const left: string[] = [];
		for (const { what, run } of this.#cleanups.reverse()) {
			try {
				await run();
			} catch (error) {
				errors.push(error);
				left.push(what);
				this.#note({ type: "cleanup-failed", what, error });
			}
		}
		if (this.#unclean) left.push("a child of this Run");
		if (left.length === 0) return ending;
		const cause = errors.length > 1 ? new AggregateError(errors, "Several removals failed.") : errors[0];
		const found: Failed = ending.failure ?? {
			code: "CLEANUP_FAILED",
			phase: "cleanup",
			message: `The result was acceptable, but this could not be cleaned up: ${left.join(", ")}.`,
		};
		return { ...ending, failure: { ...found, cause: found.cause ?? cause }, clean: false };
	}
}

/** The channels of one invocation, root or child. */
export function invocationChannels(
	tree: Pick<Tree, "channels" | "runtime">,
	context: Context,
	path: readonly string[],
): InvocationChannels {
	const contracts = new PackageContracts(context.stage, tree.runtime.sha256);
	return new InvocationChannels(tree.channels.invocation(path), contracts, tree.channels);
}

/** A child package goes down the same corridor with a context of its own; only the deadline is inherited. */
function startChild(
	tree: Tree,
	context: Context,
	path: readonly string[],
	call: ChildCall,
	caller: InvocationChannels,
): ChildRun | OperationOutcome {
	const { concurrentChildren, childDepth } = tree.limits;
	if (path.length > childDepth) {
		return failure("RESOURCE_EXHAUSTED", `Children may be nested ${childDepth} deep.`);
	}
	if (tree.running >= concurrentChildren) {
		return failure("RESOURCE_EXHAUSTED", `${concurrentChildren} children may run at once.`);
	}
	const { snapshot } = context.stage;
	const ports = portTerms(snapshot.channels, snapshot.channelContracts);
	const channels = invocationChannels(tree, context, path);
	let grants: RootInvocation["channels"] = {};
	if (connects(call, ports)) {
		// A call that is refused moves nothing: its input is looked at before its rights are.
		const checked = checkInput(snapshot, call.input);
		if ("refusal" in checked) return placed(checked.refusal, childPlace(call.slot));
		const moved = caller.participant.transfer(call.channels, ports, channels.participant);
		if ("failure" in moved) return placed(moved.failure, childPlace(call.slot));
		grants = moved.grants;
	}
	tree.running += 1;
	const stop = new Stop(tree.runtime, tree.deadline);
	const { input } = call;
	const connected = { ports: Object.keys(grants), connect: () => grants };
	const ended = pass({ tree, context, input, channels, ...connected, path, stop, stderr: () => undefined }).finally(
		() => {
			tree.running -= 1;
		},
	);
	return { ended, cancel: () => stop.request("cancel") };
}
