import { escapeForDisplay } from "../display.ts";
import { admitJson, type JsonValue } from "../json/index.ts";
import { type Failure, isFailure, isWireCode, type OperationOutcome, RUN_LIMITS, type WireCode } from "../run/index.ts";
import type { Ending } from "./passage.ts";

/** A failure with a plain sentence. */
export function failure(code: WireCode, message: string, details?: JsonValue): { readonly failure: Failure } {
	return { failure: details === undefined ? { code, message } : { code, message, details } };
}

/** The beginning of a sentence about a child: a caller must tell a refusal of the child from one of its own. */
export function childPlace(slot: string): string {
	return `Child slot "${slot}": `;
}

/** The beginning of a sentence about a method's call. */
export function methodPlace(slot: string, method: string): string {
	return `Capability slot "${slot}", method "${method}": `;
}

/** A refusal of the host's own, with the place of what it is about. */
export function placed(refusal: Failure, where: string): { readonly failure: Failure } {
	const { code, message, details } = refusal;
	return failure(code, wireMessage(code, where + message), details);
}

/**
 * What a function or provider threw, as its caller sees it: an own `code` of the wire's set keeps code, message and
 * details; anything else is `EXECUTION_FAILED` and stays on the host's side, as it may name what a component must not know.
 */
export function thrown(error: unknown, what: string): { readonly failure: Failure } {
	try {
		if (typeof error === "object" && error !== null) {
			const { code, message, details } = error as { code?: unknown; message?: unknown; details?: unknown };
			if (isWireCode(code)) {
				return failure(
					code,
					isFailure({ code, message }) ? (message as string) : `${what} failed with ${code}.`,
					details === undefined ? undefined : admitJson(details),
				);
			}
		}
	} catch {
		// A getter that throws, or details outside JSON/1: an ordinary failure.
	}
	return failure("EXECUTION_FAILED", `${what} failed.`);
}

/**
 * What a parent sees of a child package that has no accepted result (Run/1 section 9: a child that is conclusively fenced
 * and cleaned is its parent's recoverable failure). A child that never started was not callable; one that broke the
 * protocol, crashed or was lost has failed, if it is proven gone and nothing it started is in doubt, and is uncertain
 * otherwise. The host's own reasons and paths are not told. Its sentences name the slot; what the child itself answered
 * stands as it is.
 */
export function childFailure(ending: Ending, slot: string): OperationOutcome {
	const { failure: found, gone, doubt, answered } = ending;
	if (found === undefined) throw new TypeError("The child has a result.");
	const where = childPlace(slot);
	const lost = found.code === "PROTOCOL_ERROR" || found.code === "CHANNEL_LOST" || found.code === "EXECUTION_FAILED";
	if (!gone || (doubt && lost && !answered)) {
		return failure("UNCERTAIN", `${where}The child ended without proof that its work has ended.`);
	}
	switch (found.code) {
		case "PROTOCOL_ERROR":
			return failure("EXECUTION_FAILED", `${where}The child broke the protocol.`);
		case "CHANNEL_LOST":
			return failure("EXECUTION_FAILED", `${where}The child ended before it answered.`);
		case "CLEANUP_FAILED":
			return failure("EXECUTION_FAILED", `${where}The child's scratch or attachments could not be removed.`);
		default:
	}
	if (isWireCode(found.code)) {
		const message = answered ? found.message : where + found.message;
		return failure(found.code, wireMessage(found.code, message), found.details);
	}
	return failure("UNAVAILABLE", `${where}The child package could not be started.`);
}

/** A message of the host's own, as Run/1 section 7 bounds it. */
function wireMessage(code: WireCode, message: string): string {
	if (isFailure({ code, message })) return message;
	const most = RUN_LIMITS.messageScalars;
	return (
		Array.from(escapeForDisplay(message.slice(0, most)))
			.slice(0, most)
			.join("") || "The child failed."
	);
}
