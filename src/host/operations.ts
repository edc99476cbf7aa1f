import { isLocalName } from "../grammar/index.ts";
import { isJsonObject, type JsonValue } from "../json/index.ts";
import type {
	CapabilityCall,
	ChannelParticipant,
	ChildCall,
	Operation,
	OperationOutcome,
	PortTerms,
	RunResult,
} from "../run/index.ts";
import { StopRequest } from "../signals.ts";
import type { BoundSlot, Context } from "./admission.ts";
import { asked, whenGiven } from "./asked.ts";
import { portTerms } from "./channel-contracts.ts";
import { admit, admitResult, fits } from "./check.ts";
import { childFailure, childPlace, failure, methodPlace, placed, thrown } from "./failures.ts";
import { type HandedOver, handOver } from "./handed-over.ts";
import type { InvocationChannels } from "./invocation-channels.ts";
import type { ChildFunction, ProviderAnswer } from "./options.ts";
import type { Ending } from "./passage.ts";
import type { HostEvent } from "./trace.ts";

/** Starts a child package of the Run; `cancel` asks it to stop. */
export interface ChildRun {
	readonly ended: Promise<Ending>;
	cancel(): void;
}

export interface OperationsContext {
	readonly context: Context;
	/** What the caller holds; a call's map moves from here. */
	readonly channels: InvocationChannels;
	/** Moves what the call maps and starts a child package, or says why it can't; then nothing has moved. */
	start(context: Context, call: ChildCall): ChildRun | OperationOutcome;
	/** A holder for what an operation hands to a function or provider. */
	holder(operationId: string): ChannelParticipant;
	note(event: HostEvent): void;
}

interface Live {
	/** A child package ends in bounded time by itself; a function or a provider only if it minds its signal. */
	readonly bounded: boolean;
	stop(): void;
	/** Takes back what it was handed. */
	revoke?(): void;
}

/**
 * The work behind one Run's calls: resolves slots, checks values on both sides, runs children, and says how each
 * operation ended, exactly once. An operation's trouble is its own: it never fails the Run.
 */
export class Operations {
	readonly #context: OperationsContext;
	readonly #live = new Map<Operation, Live>();
	#quiet: (() => void) | undefined;
	#doubt = false;
	#unclean = false;

	constructor(context: OperationsContext) {
		this.#context = context;
	}

	/** A child's end could not be proven, or an operation ended uncertain: the Run's own effects are in doubt. */
	get doubt(): boolean {
		return this.#doubt;
	}

	/** A child left something behind: this Run can't succeed (Run/1 section 9). */
	get unclean(): boolean {
		return this.#unclean;
	}

	dispatch(operation: Operation): void {
		const { call } = operation;
		const refused = call.kind === "child" ? this.#child(operation, call) : this.#capability(operation, call);
		if (refused !== undefined) this.#settle(operation, refused);
	}

	abandon(operation: Operation): void {
		this.#live.get(operation)?.stop();
	}

	abandonAll(): void {
		for (const live of this.#live.values()) live.stop();
	}

	get idle(): boolean {
		return this.#live.size === 0;
	}

	/** Whether the work of `operation` runs. */
	holds(operation: Operation): boolean {
		return this.#live.has(operation);
	}

	/** Resolves when no work is left. */
	quiet(): Promise<void> {
		if (this.idle) return Promise.resolve();
		return new Promise((resolve) => {
			this.#quiet = resolve;
		});
	}

	/** Gives up functions and providers that ignore their signal. What they still do changes nothing. */
	forsake(): void {
		for (const [operation, live] of this.#live) {
			if (live.bounded) continue;
			this.#doubt = true;
			const { operationId, slot } = operation.call;
			this.#context.note({ type: "abandoned", operationId, slot });
			this.#remove(operation);
			live.revoke?.();
		}
	}

	#remove(operation: Operation): void {
		this.#live.delete(operation);
		if (this.idle) this.#quiet?.();
	}

	#settle(operation: Operation, outcome: OperationOutcome): void {
		if ("failure" in outcome && outcome.failure.code === "UNCERTAIN") this.#doubt = true;
		operation.settle(outcome);
	}

	/**
	 * Keeps the work that `start` begins among the live until it has settled; it never rejects. It is live before it begins:
	 * what it runs, and who observes it, may already ask it to stop.
	 */
	#track(operation: Operation, live: Live, start: () => OperationOutcome | Promise<OperationOutcome>): void {
		this.#live.set(operation, live);
		const outcome = start();
		if ("then" in outcome) void outcome.then((later) => this.#ended(operation, later));
		else this.#ended(operation, outcome);
	}

	#ended(operation: Operation, outcome: OperationOutcome): void {
		// Forsaken work has no one to answer any more.
		if (!this.#live.has(operation)) return;
		this.#settle(operation, outcome);
		this.#remove(operation);
	}

	#child(operation: Operation, call: ChildCall): OperationOutcome | undefined {
		const { children } = this.#context.context;
		const bound = children.get(call.slot);
		if (bound === undefined) {
			this.#unbound(call);
			return failure("UNAVAILABLE", `No child is bound to slot "${call.slot}".`);
		}
		if ("call" in bound) {
			return this.#run(operation, "function", undefined, (stop, channels) =>
				this.#callFunction(bound.call, call, stop, channels),
			);
		}
		const started = this.#context.start(bound.context, call);
		if (!("ended" in started)) return started;
		this.#track(operation, { bounded: true, stop: () => started.cancel() }, async () => {
			this.#started(call, "package");
			const ending = await started.ended;
			if (!ending.clean) this.#unclean = true;
			if (ending.failure !== undefined || ending.result === undefined) return childFailure(ending, call.slot);
			return { result: ending.result };
		});
		return undefined;
	}

	#capability(operation: Operation, call: CapabilityCall): OperationOutcome | undefined {
		const slot = this.#context.context.slots.get(call.slot);
		if (slot === undefined) {
			return failure("PERMISSION_DENIED", `FLOW.md declares no capability slot "${call.slot}".`);
		}
		if (slot.provider === undefined) {
			this.#unbound(call);
			return failure("UNAVAILABLE", `No provider is bound to capability slot "${call.slot}".`);
		}
		const method = slot.contract?.methods.get(call.method);
		if (slot.contract !== undefined && method === undefined) {
			return failure("INVALID_INPUT", `The contract of slot "${call.slot}" has no method "${call.method}".`);
		}
		let ports: ReadonlyMap<string, PortTerms> | undefined;
		if (method !== undefined) {
			const where = methodPlace(call.slot, call.method);
			const refusal = fits(method.input, call.input, "INVALID_INPUT", `${where}The input`);
			if (refusal !== undefined) return { failure: refusal };
			ports = portTerms(method.channels, this.#context.context.stage.snapshot.channelContracts);
		}
		return this.#run(operation, "provider", ports, (stop, channels) => this.#callProvider(slot, call, stop, channels));
	}

	/**
	 * Runs a function of the host's program, which is asked to stop through its signal, with what the call hands over. A map
	 * that is refused starts nothing.
	 */
	#run(
		operation: Operation,
		target: "function" | "provider",
		ports: ReadonlyMap<string, PortTerms> | undefined,
		call: (stop: StopRequest, channels: HandedOver["channels"]) => OperationOutcome | Promise<OperationOutcome>,
	): OperationOutcome | undefined {
		const { channels, holder } = this.#context;
		const handed = handOver(operation.call, ports, channels, () => holder(operation.call.operationId));
		if ("failure" in handed) return placed(handed.failure, placeOf(operation.call));
		const stop = new StopRequest();
		const live: Live = { bounded: false, stop: () => stop.abort(), revoke: handed.end };
		const conclude = (outcome: OperationOutcome): OperationOutcome => {
			const concluded = handed.conclude(outcome);
			handed.end();
			return concluded;
		};
		this.#track(operation, live, () => {
			this.#started(operation.call, target);
			const outcome = call(stop, handed.channels);
			return "then" in outcome ? outcome.then(conclude) : conclude(outcome);
		});
		return undefined;
	}

	#started(call: ChildCall | CapabilityCall, target: "package" | "function" | "provider"): void {
		this.#context.note({ type: "operation-started", operationId: call.operationId, slot: call.slot, target });
	}

	#unbound({ kind, operationId, slot }: ChildCall | CapabilityCall): void {
		this.#context.note({ type: "operation-unbound", operationId, slot, target: kind });
	}

	#callFunction(
		target: ChildFunction,
		call: ChildCall,
		stop: StopRequest,
		channels: HandedOver["channels"],
	): OperationOutcome | Promise<OperationOutcome> {
		const { slot, operationId, intent, input } = call;
		return whenGiven<RunResult, OperationOutcome>(
			() => target(asked({ slot, operationId, ...(intent === undefined ? {} : { intent }), input, channels }, stop)),
			(given) => {
				const admitted = admitResult(given, `${childPlace(slot)}The result`);
				return "value" in admitted ? { result: admitted.value } : { failure: admitted.refusal };
			},
			(error) => this.#threw(call, error, stop, "function bound to"),
		);
	}

	#callProvider(
		bound: BoundSlot,
		call: CapabilityCall,
		stop: StopRequest,
		channels: HandedOver["channels"],
	): OperationOutcome | Promise<OperationOutcome> {
		const { slot, operationId, method, input } = call;
		return whenGiven<ProviderAnswer, OperationOutcome>(
			() => bound.provider!.call(asked({ slot, operationId, method, input, channels }, stop)),
			(given) => providerAnswer(bound, call, given),
			(error) => this.#threw(call, error, stop, "provider of"),
		);
	}

	#threw(
		{ operationId, slot }: ChildCall | CapabilityCall,
		error: unknown,
		stop: StopRequest,
		who: string,
	): OperationOutcome {
		this.#context.note({ type: "operation-failed", operationId, slot, error });
		if (stop.aborted) return failure("CANCELLED", `The ${who} slot "${slot}" stopped.`);
		return thrown(error, `The ${who} slot "${slot}"`);
	}
}

function placeOf(call: ChildCall | CapabilityCall): string {
	return call.kind === "child" ? childPlace(call.slot) : methodPlace(call.slot, call.method);
}

function isOnlyValue(answer: JsonValue): answer is { readonly value: JsonValue } {
	if (!isJsonObject(answer) || !Object.hasOwn(answer, "value")) return false;
	for (const name in answer) if (name !== "value" && Object.hasOwn(answer, name)) return false;
	return true;
}

/** Exactly one of `value` and `error`, each within the contract (Run/1 section 5, Capability Contract/1 section 2). */
function providerAnswer(bound: BoundSlot, { slot, method }: CapabilityCall, given: unknown): OperationOutcome {
	const admitted = admit(given, "INVALID_RESULT", () => `${methodPlace(slot, method)}The provider's answer`);
	if ("refusal" in admitted) return { failure: admitted.refusal };
	const answer = admitted.value;
	const declared = bound.contract?.methods.get(method);
	// The usual answer of a method that declares nothing.
	if (declared === undefined && isOnlyValue(answer)) return { value: answer.value };
	const where = methodPlace(slot, method);
	if (isJsonObject(answer) && Object.keys(answer).length === 1) {
		if (Object.hasOwn(answer, "value")) {
			const value = answer.value!;
			const refusal = fits(declared?.output, value, "INVALID_RESULT", `${where}The value`);
			return refusal === undefined ? { value } : { failure: refusal };
		}
		const error = Object.hasOwn(answer, "error") ? answer.error : undefined;
		if (error !== undefined && isJsonObject(error) && Object.keys(error).length === 2 && Object.hasOwn(error, "data")) {
			const name = Object.hasOwn(error, "name") ? error.name : undefined;
			if (isLocalName(name)) {
				const data = error.data!;
				if (declared !== undefined && !declared.errors.has(name)) {
					return failure("INVALID_RESULT", `${where}The contract declares no error "${name}".`);
				}
				const refusal = fits(declared?.errors.get(name), data, "INVALID_RESULT", `${where}The data of error "${name}"`);
				return refusal === undefined ? { error: { name, data } } : { failure: refusal };
			}
		}
	}
	return failure(
		"INVALID_RESULT",
		`${where}The provider's answer must be exactly { value } or { error: { name, data } }.`,
	);
}
