import { type JsonValue, parseJson } from "../../src/json/index.ts";
import { checkMessage, RUN_LIMITS } from "../../src/run/index.ts";
import { field, isFields } from "../data.ts";
import type { Witness } from "./evidence.ts";
import { preview } from "./match.ts";

/**
 * What every host must keep to in every Run, whatever the component does (Run/1 sections 1, 3 and 7): frames are JSON/1
 * within their bound and of a published shape, the first and only request is `flow/run`, and no request is answered twice.
 * Says the first breach, or undefined.
 */
export function breachOf({ frames, entries }: Witness): string | undefined {
	let root: string | undefined;
	const asked = new Map<string, number>();
	for (const entry of entries)
		if (entry.t === "out" && typeof entry.id === "string") asked.set(entry.id, (asked.get(entry.id) ?? 0) + 1);
	const answered = new Map<string, number>();
	for (const [index, { bytes, value }] of frames.entries()) {
		const told = `frame ${index + 1} from the host (${preview(value)})`;
		if (bytes !== undefined) {
			const fault = faultOf(bytes);
			if (fault !== undefined) return `${told} ${fault}`;
		} else if (isFields(value) && (value.large as number) > RUN_LIMITS.frameBytes) {
			return `${told} is larger than a frame may be`;
		}
		if (!isFields(value)) return `${told} is no object`;
		const method = field(value, "method");
		const id = field(value, "id");
		const isRequest = method !== undefined && method !== null && typeof id === "string";
		if (index === 0 && (method !== "flow/run" || !isRequest)) return `${told} comes before flow/run`;
		if (index > 0 && isRequest) return `${told} is a second request of the host`;
		if (isRequest) root = id;
		else if (typeof id === "string" && method !== "request/cancel") answered.set(id, (answered.get(id) ?? 0) + 1);
		if (method === "request/cancel") {
			const params = field(value, "params");
			if (isFields(params) && params.requestId !== root) return `${told} cancels what the host never asked`;
		}
	}
	for (const [id, times] of answered)
		if (asked.has(id) && times > asked.get(id)!) return `the request ${id} was answered ${times} times`;
	return undefined;
}

function faultOf(bytes: Uint8Array): string | undefined {
	let value: JsonValue;
	try {
		value = parseJson(bytes);
	} catch (error) {
		return `is not JSON/1: ${(error as Error).message}`;
	}
	const fault = checkMessage(value);
	if (fault === undefined) return undefined;
	return `is no message of Run/1: ${fault.path.join(".")} ${fault.message}`;
}
