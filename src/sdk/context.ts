/**
 * The author's `RunContext` over one component session.
 *
 * Order of refusals (Run SDK/1 sections 2 and 4; the first that applies decides): invalid arguments `TypeError`, aborted
 * signal exactly `CANCELLED`, no longer admitting `OWNER_CLOSED`, then the session's capacities `RESOURCE_EXHAUSTED`.
 */
import type { JsonValue } from "../json/index.ts";
import type { ComponentSession, RootInvocation, Settlement } from "../run/index.ts";
import type { StopRequest } from "../signals.ts";
import type { AbortSignal } from "../web.ts";
import { type ReadCall, readCallOptions, readCapabilityCall, readChildRequest } from "./arguments.ts";
import { type ChannelEndpoints, createEndpoints } from "./channels.ts";
import { CapabilityError } from "./errors.ts";
import type { RunContext, RunResult } from "./types.ts";
import { errorOf, observed, type Reject, type Resolve, wait } from "./waiting.ts";

/** What the context needs of the Run around it. */
export interface ContextOwner {
	readonly session: Pick<ComponentSession, "call" | "channel">;
	/** Aborted by root cancellation and by the loss of the connection. */
	readonly stop: StopRequest;
}

/** Builds the context handed to the handler. Its functions need no `this`, so they can be taken apart. */
export function createContext(invocation: RootInvocation, owner: ContextOwner): RunContext {
	const { session } = owner;
	const endpoints = createEndpoints({ channel: (request, settle) => session.channel(request, settle) });

	function callable<T extends JsonValue>(read: (call: unknown) => ReadCall) {
		return (given: unknown, options: unknown): Promise<T> =>
			observed<T>((resolve, reject, watched) => {
				const { call, endpoints: mapped } = read(given);
				const signal = readCallOptions(options);
				if (signal !== undefined) watched(signal);
				const mapping = mapped.size === 0 ? call : { ...call, channels: references(mapped, endpoints) };
				const done = (settlement: Settlement): void => settled(settlement, resolve as Resolve<JsonValue>, reject);
				if (signal === undefined) session.call(mapping, done);
				else wait((settle) => session.call(mapping, settle), signal, done);
			});
	}

	return {
		input: invocation.input,
		settings: invocation.settings,
		attachments: invocation.attachments,
		channels: endpoints.grants(invocation.channels),
		scratch: invocation.scratch,
		deadlineUnixMs: invocation.deadlineUnixMs,
		get signal(): AbortSignal {
			return owner.stop.signal;
		},
		runChildFlow: callable<RunResult>(readChildRequest),
		callCapability: callable<JsonValue>(readCapabilityCall),
		channel: endpoints.channel as RunContext["channel"],
	};
}

/** The references behind mapped endpoints. Which of them may still be handed on, the session knows. */
function references(mapped: ReadonlyMap<string, object>, endpoints: ChannelEndpoints): Record<string, string> {
	const channels: Record<string, string> = Object.create(null);
	for (const [port, endpoint] of mapped) {
		const reference = endpoints.referenceOf(endpoint);
		if (reference === undefined) throw new TypeError("channels must hold endpoints of this Run.");
		channels[port] = reference;
	}
	return channels;
}

function settled(settlement: Settlement, resolve: Resolve<JsonValue>, reject: Reject): void {
	if ("value" in settlement) resolve(settlement.value);
	else if ("declared" in settlement) reject(new CapabilityError(settlement.declared.name, settlement.declared.data));
	else reject(errorOf(settlement.failure));
}
