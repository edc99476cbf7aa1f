/** Checks on what a layer hands to a session, before anything is queued: its own mistakes stay local (Run/1 section 1). */

import { JsonError, type JsonValue } from "../json/index.ts";
import { callParams, channelParams, methodOf, readCall, readChannelRequest, rootParams } from "./calls.ts";
import { admitCall, admitFailure, admitResult, type Call, operationalError, ownWords, type Payload } from "./encode.ts";
import { InvalidMessage } from "./errors.ts";
import { describe, isFailure, pointerOf } from "./messages.ts";
import { METHODS } from "./methods.ts";
import type {
	CapabilityCall,
	ChannelOutcome,
	ChannelRequest,
	ChildCall,
	Failure,
	OperationOutcome,
	RootInvocation,
	RunResult,
} from "./ports.ts";

/**
 * Admits the params of one request of ours. Throws {@link InvalidMessage} with a pointer into `params` when they are no
 * JSON/1 value inside their complete frame, or not what the method takes.
 */
function admitRequest(method: string, params: unknown, id: string): Call {
	let call: Call;
	try {
		call = admitCall(method, params, id);
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		const pointer = (error.pointer ?? "").replace(/^\/params/, "");
		throw new InvalidMessage(pointer, `Invalid params of ${method}: ${error.message}`, error);
	}
	const fault = METHODS.get(method)!.params(call.params);
	if (fault === undefined) return call;
	throw new InvalidMessage(pointerOf(fault), `Invalid params of ${method}:${describe(fault)}.`);
}

/** Admits the root of a host session, whose request gets `id`. Throws {@link InvalidMessage}. */
export function admitRoot(root: RootInvocation, id: string): Call {
	return admitRequest("flow/run", rootParams(root), id);
}

/** Admits a component's call with an id no longer than `id`, and gives its snapshot. Throws {@link InvalidMessage}. */
export function admitOperation(
	call: ChildCall | CapabilityCall,
	id: string,
): {
	readonly request: Call;
	readonly snapshot: ChildCall | CapabilityCall;
} {
	if (call.kind !== "child" && call.kind !== "capability") {
		throw new InvalidMessage("", 'The kind of a call must be "child" or "capability".');
	}
	const request = admitRequest(methodOf(call), callParams(call), id);
	return { request, snapshot: readCall(request.method, request.params) };
}

/** Admits a component's channel request, as {@link admitOperation} a call. Throws {@link InvalidMessage}. */
export function admitChannel(
	request: ChannelRequest,
	id: string,
): {
	readonly request: Call;
	readonly snapshot: ChannelRequest;
} {
	const { method } = request;
	if (typeof method !== "string" || !method.startsWith("channel/") || !METHODS.has(method)) {
		throw new InvalidMessage("", "The method of a channel request must be one of Run/1 section 5.1.");
	}
	const admitted = admitRequest(method, channelParams(request), id);
	return { request: admitted, snapshot: readChannelRequest(method, admitted.params) };
}

/** A terminal as it will be written, with what it means. */
export interface Terminal<T> {
	readonly end: T;
	/** Absent for a success. */
	readonly code?: Failure["code"];
	readonly payload: Payload;
}

/**
 * The root's terminal from what the handler came to. A result that is no `{ outcome, output }`, or doesn't fit its frame
 * with `rootId`, is `INVALID_RESULT`; a failure that can't cross the wire is `EXECUTION_FAILED` without details (Run SDK/1 section 5).
 */
export function rootTerminal(
	end: RunResult | { readonly failure: Failure },
	rootId: string,
): Terminal<RunResult | { failure: Failure }> {
	try {
		if (typeof end === "object" && end !== null && Object.hasOwn(end, "failure")) {
			const { failure } = end as { readonly failure: Failure };
			if (!isFailure(failure)) return failed("EXECUTION_FAILED", "The handler failed.");
			return failedWith(failure, rootId);
		}
	} catch {
		return failed("EXECUTION_FAILED", "The handler failed.");
	}
	try {
		const { value, payload } = admitResult(end, rootId);
		const fault = METHODS.get("flow/run")!.result(value);
		if (fault === undefined) return { end: value as unknown as RunResult, payload };
		return failed("INVALID_RESULT", `The handler's result${describe(fault)}.`);
	} catch (error) {
		const why = error instanceof JsonError ? error.message : "It can't be read.";
		return failed("INVALID_RESULT", `The handler's result makes no JSON/1 frame: ${why}`);
	}
}

/**
 * The terminal of an operation from what its work came to. What is not exactly an outcome of its method, or doesn't fit a
 * frame with the longest id a waiter can have, is `INVALID_RESULT`.
 */
export function operationTerminal(method: string, outcome: OperationOutcome): Terminal<OperationOutcome> {
	try {
		const names = Object.keys(outcome);
		if (names.length !== 1) return failed("INVALID_RESULT", "The work ended with no single outcome.");
		if (names[0] === "failure") {
			const { failure } = outcome as { readonly failure: Failure };
			if (isFailure(failure)) return failedWith(failure);
			return failed("INVALID_RESULT", "The work failed with an error that can't cross the wire.");
		}
		const isChild = method === "flow/run-child";
		if (isChild !== (names[0] === "result")) {
			const wanted = isChild ? "result" : "value or error";
			return failed("INVALID_RESULT", `The work did not end with ${wanted}, as a ${method} must.`);
		}
		const { value, payload } = admitResult(isChild ? (outcome as { readonly result: RunResult }).result : outcome);
		const fault = METHODS.get(method)!.result(value);
		if (fault !== undefined) {
			return failed("INVALID_RESULT", `The work's result${describe(fault)}.`);
		}
		return { end: (isChild ? { result: value } : value) as unknown as OperationOutcome, payload };
	} catch (error) {
		const why = error instanceof JsonError ? error.message : "It can't be read.";
		return failed("INVALID_RESULT", `The work's result makes no JSON/1 frame: ${why}`);
	}
}

/**
 * The answer to a channel request from what the layer gave, with its complete frame for `id`. What is no outcome of the
 * method, or fits no frame, is `EXECUTION_FAILED`: what may be accepted was decided on its way in.
 */
export function channelTerminal(
	method: string,
	outcome: ChannelOutcome,
	id: string,
): Terminal<{ readonly value: JsonValue } | { readonly failure: Failure }> {
	try {
		if ("failure" in outcome) {
			if (isFailure(outcome.failure)) return failedWith(outcome.failure, id);
			return failed("EXECUTION_FAILED", "The request failed with an error that can't cross the wire.");
		}
		const { value, payload } = admitResult(outcome.result, id);
		const fault = METHODS.get(method)!.result(value);
		if (fault === undefined) return { end: { value }, payload };
		return failed("EXECUTION_FAILED", `The host's result of ${method}${describe(fault)}.`);
	} catch (error) {
		const why = error instanceof JsonError ? error.message : "It can't be read.";
		return failed("EXECUTION_FAILED", `The host's result of ${method} makes no JSON/1 frame: ${why}`);
	}
}

/** What an operation that came to `outcome` will be answered with: `outcome` itself, where it is valid for its call. */
export function admitOutcome(call: ChildCall | CapabilityCall, outcome: OperationOutcome): OperationOutcome {
	return operationTerminal(methodOf(call), outcome).end;
}

/** A failure in our own words. */
export function failed(code: Failure["code"], text: string): Terminal<{ failure: Failure }> {
	const message = ownWords(text);
	return { end: { failure: { code, message } }, code, payload: operationalError(code, message) };
}

function failedWith(given: Failure, id?: string): Terminal<{ failure: Failure }> {
	const { failure, payload } = admitFailure(given, id);
	return { end: { failure }, code: failure.code, payload };
}
