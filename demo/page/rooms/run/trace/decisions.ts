/** What a session decided and what its host did, in a few words each. What a row would only repeat has none. */
import { elidedLength, type Fields, member, plainWord, word } from "./fields.ts";
import { CALLS, CANCELLATION, CHANNELS, DECISIONS, PROCESS, type Saying } from "./groups.ts";

/** Of an event of a session that is no frame. */
export function sessionSaying(event: Fields): Saying | undefined {
	const operationId = plainWord(event, "operationId");
	const code = plainWord(event, "code");
	const decision = (label: string, groups = 0): Saying => ({
		kind: code === undefined ? "decision" : "fault",
		groups: DECISIONS | groups,
		label,
		operationId,
	});
	switch (event.type) {
		case "dispatched":
			return decision(`dispatched ${operationId ?? "?"}`, CALLS);
		case "joined":
			return decision(`joined ${operationId ?? "?"}: already under way`, CALLS);
		case "replayed":
			return decision(`replayed ${operationId ?? "?"}: answered before`, CALLS);
		case "conflict":
			return decision(`${operationId ?? "?"} belongs to another call`, CALLS);
		case "detached":
			return decision(`${operationId ?? "?"}: one waiter left`, CANCELLATION);
		case "abandoned":
			return decision(`${operationId ?? "?"}: asked to stop`, CANCELLATION);
		case "decided":
			return decision(`${operationId ?? "?"}: ${code ?? "settled"}`, CALLS);
		case "refused":
			return decision(`refused ${word(event, "requestId")}: ${code ?? "?"}`, CALLS);
		case "ignored":
			return decision(`ignored: ${word(event, "reason")}`);
		case "exchange":
			return decision(`${word(event, "method")} taken up`, CHANNELS);
		case "exchange-cancelled":
			return decision(`channel request ${word(event, "requestId")} cancelled`, CHANNELS | CANCELLATION);
		case "condition":
			return decision(`ends with ${code ?? "?"}`, CANCELLATION);
		case "exhaust":
			return { kind: "fault", groups: DECISIONS, label: "a bound of the host was crossed" };
		case "verdict": {
			const refused = Object.hasOwn(event, "failure");
			const label = refused ? `result refused: ${word(member(event, "failure"), "code")}` : "result accepted";
			return { kind: refused ? "fault" : "decision", groups: DECISIONS, label };
		}
		case "responded":
			return decision(`answered: ${plainWord(event, "outcome") ?? code ?? "?"}`);
		case "fatal":
			return decision(`${code ?? "?"}: ${word(event, "message")}`);
		case "stopped":
			return { kind: "fault", groups: DECISIONS, label: `session stopped: ${word(event, "why")}` };
		case "concluded":
			return concluded(word(member(event, "conclusion"), "status"));
		case "input-ended":
			return { kind: "note", groups: PROCESS, label: "its output ended" };
		case "read-failed":
		case "write-failed":
			return { kind: "fault", groups: PROCESS, label: `${event.type}: ${word(event, "message")}` };
		default:
			return undefined;
	}
}

function concluded(status: string): Saying {
	return { kind: status === "succeeded" ? "decision" : "fault", groups: DECISIONS, label: `concluded: ${status}` };
}

/** Of what the host itself did with a Run. Starts of functions and providers, and channels, are drawn between two lanes elsewhere. */
export function hostSaying(event: Fields): Saying | undefined {
	const operationId = plainWord(event, "operationId");
	const slot = word(event, "slot");
	switch (event.type) {
		case "activating":
			return { kind: "note", groups: PROCESS, label: `activating ${word(event, "package")}` };
		case "launched":
			return { kind: "note", groups: PROCESS, label: `started: ${word(event, "description")}` };
		case "stderr":
			return { kind: "note", groups: PROCESS, label: stderr(event.bytes) };
		case "operation-unbound":
			return {
				...{ kind: "fault", groups: CALLS | DECISIONS, operationId },
				label: `nothing is bound to ${event.target === "child" ? "child" : "capability"} slot ${slot}`,
			};
		case "operation-failed":
			return { kind: "fault", groups: CALLS | DECISIONS, operationId, label: `${slot} threw${thrown(event)}` };
		case "operations-claimed":
			return { kind: "decision", groups: DECISIONS, label: `operations claimed, ${word(event, "recorded")} on record` };
		case "operation-recalled":
			return {
				...{ kind: "decision", groups: CALLS | DECISIONS, operationId },
				label: `${operationId ?? "?"} recalled: ${word(event, "status")}`,
			};
		case "operation-unrecorded":
			return { kind: "fault", groups: DECISIONS, operationId, label: `the store failed at ${word(event, "step")}` };
		case "channel-failed":
			return {
				kind: "fault",
				groups: CHANNELS,
				label: `the program's end of ${word(event, "port")} failed${thrown(event)}`,
			};
		case "cancelling":
			return {
				kind: "decision",
				groups: CANCELLATION,
				label: event.reason === "deadline" ? "deadline passed" : "cancelled",
			};
		case "exited": {
			const how = plainWord(event, "exitCode") ?? plainWord(event, "signal") ?? "nobody knows how";
			return { kind: how === "0" ? "note" : "fault", groups: PROCESS, label: `exited: ${how}` };
		}
		case "fenced":
			return event.gone === false
				? { kind: "fault", groups: PROCESS, label: `not proven gone: ${word(event, "detail")}` }
				: { kind: "note", groups: PROCESS, label: "proven gone" };
		case "abandoned":
			return { kind: "decision", groups: CANCELLATION, operationId, label: `${slot} was left behind` };
		case "cleanup-failed":
			return { kind: "fault", groups: PROCESS, label: `${word(event, "what")} could not be removed` };
		case "succeeded":
			return { kind: "decision", groups: DECISIONS, label: `accepted: ${word(event, "outcome")}` };
		case "failed":
			return { kind: "fault", groups: DECISIONS, label: `failed: ${word(event, "code")}` };
		default:
			return undefined;
	}
}

/** Bytes of diagnostics that are looked at for their first line. */
const FIRST = 240;

function stderr(bytes: unknown): string {
	if (!(bytes instanceof Uint8Array)) return `printed ${elidedLength(bytes) ?? 0} bytes`;
	const [line = ""] = new TextDecoder().decode(bytes.subarray(0, FIRST)).trimStart().split("\n", 1);
	return `printed ${bytes.length} bytes: ${word({ line }, "line")}`;
}

function thrown(event: Fields): string {
	const message = plainWord(member(event, "error"), "message");
	return message === undefined || message === "" ? "" : `: ${message}`;
}
