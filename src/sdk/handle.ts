/**
 * `handle`, made from a transport (Run SDK/1 sections 1 and 6): one root Run, from the first byte to the flushed terminal.
 *
 * Author code never runs inside the session: the handler starts, and `run.signal` aborts, in a later microtask, so that
 * whatever they call finds the session between two inputs.
 */
// Not through the room's door: a component process loads neither the host's half of the machine nor a hash.
import { ComponentSession } from "../run/component.ts";
import { drive } from "../run/drive.ts";
import type { RootInvocation, Transport } from "../run/index.ts";
import { StopRequest } from "../signals.ts";
import { createContext } from "./context.ts";
import { OperationError } from "./errors.ts";
import { type HandlerOutcome, outcomeOfError, outcomeOfValue } from "./outcome.ts";
import type { RunHandler } from "./types.ts";

/** What an environment supplies. Every member is called at most once per Run, except `report`. */
export interface SdkTransport {
	/** Takes hold of the protocol streams, then redirects the console away from them. */
	open(): Transport;
	/** Writes one bounded diagnostic text where the protocol doesn't run. What it throws is ignored. */
	report(text: string): void;
	/** The connection ended fatally, before `handle` rejects: a process must not exit with zero. */
	failed(): void;
}

/**
 * Makes the environment's `handle`. It serves one Run: the promise fulfils when the root's terminal response is flushed
 * (a failed handler included, its failure is in the response), and rejects with `OperationError` `PROTOCOL_ERROR` or
 * `CHANNEL_LOST` when the connection ended fatally. A second call rejects with `Error`.
 */
export function createHandle(environment: SdkTransport): (handler: RunHandler) => Promise<void> {
	let used = false;
	return (handler) => {
		if (typeof handler !== "function") {
			return Promise.reject(new TypeError("handle takes one argument, the handler function."));
		}
		if (used) return Promise.reject(new Error("handle serves exactly one Run in a process; it was called before."));
		used = true;
		return serve(handler, environment);
	};
}

function serve(handler: RunHandler, environment: SdkTransport): Promise<void> {
	return new Promise((resolve, reject) => {
		const transport = environment.open();
		const root = new StopRequest();
		let stopped: OperationError | undefined;
		let ended = false;

		const stop = (reason: OperationError): void => {
			if (stopped !== undefined) return;
			stopped = reason;
			later(() => root.abort(reason));
		};

		let pump: { wake(): void } | undefined;
		const session = new ComponentSession({
			wake: () => pump?.wake(),
			start: (invocation) => later(() => void run(invocation)),
			cancelled: () => stop(new OperationError("CANCELLED", "The host cancelled this Run.")),
			closed: (end) => {
				ended = true;
				transport.stop();
				if (end.kind === "finished") return resolve();
				const error = new OperationError(end.code, end.message);
				stop(error);
				environment.failed();
				reject(error);
			},
		});
		pump = drive(session, transport);
		// A transport may have delivered while it was being joined.
		pump.wake();

		async function run(invocation: RootInvocation): Promise<void> {
			// A Run that was cancelled or lost before its handler began never begins.
			const outcome = stopped === undefined ? await settleHandler(invocation) : outcomeOfError(stopped);
			if (ended) return;
			if (outcome.diagnostic !== undefined) report(environment, outcome.diagnostic);
			session.finish(outcome.finish);
		}

		async function settleHandler(invocation: RootInvocation): Promise<HandlerOutcome> {
			const context = createContext(invocation, { session, stop: root });
			try {
				return outcomeOfValue(await handler(context));
			} catch (error) {
				return outcomeOfError(error);
			}
		}
	});
}

function later(task: () => void): void {
	void Promise.resolve().then(task);
}

function report(environment: SdkTransport, text: string): void {
	try {
		environment.report(text);
	} catch {
		// Run SDK/1 leaves diagnostics to the author; they never decide a Run.
	}
}
