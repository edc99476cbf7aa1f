/** Between the values of the ports and the params of the wire: members that are absent on the wire have a value here. */

import type { JsonObject } from "../json/index.ts";
import type { CapabilityCall, ChannelGrant, ChannelRequest, ChildCall, RootInvocation } from "./ports.ts";

/** The params of `flow/run`. An empty channel map is left out. */
export function rootParams(root: RootInvocation): Record<string, unknown> {
	const { input, settings, attachments, scratch, deadlineUnixMs, channels } = root;
	const params = { protocol: "run/1", input, settings, attachments, scratch, deadlineUnixMs };
	return isEmpty(channels) ? params : { ...params, channels };
}

/** The invocation that valid params of `flow/run` describe. */
export function readRoot(params: JsonObject): RootInvocation {
	return {
		input: params.input!,
		settings: params.settings as JsonObject,
		attachments: params.attachments as unknown as RootInvocation["attachments"],
		scratch: params.scratch as string,
		deadlineUnixMs: params.deadlineUnixMs as number,
		channels: Object.hasOwn(params, "channels") ? (params.channels as unknown as Record<string, ChannelGrant>) : {},
	};
}

export function methodOf(call: ChildCall | CapabilityCall): "flow/run-child" | "capability/call" {
	return call.kind === "child" ? "flow/run-child" : "capability/call";
}

/** The params of a call. An empty channel map is left out, always, so that repeating a call repeats its identity. */
export function callParams(call: ChildCall | CapabilityCall): Record<string, unknown> {
	const { operationId, slot, input, channels } = call;
	const params: Record<string, unknown> =
		call.kind === "capability"
			? { operationId, slot, method: call.method, input }
			: call.intent === undefined
				? { operationId, slot, input }
				: { operationId, slot, intent: call.intent, input };
	if (!isEmpty(channels)) params.channels = channels;
	return params;
}

const NO_CHANNELS: Readonly<Record<string, string>> = Object.freeze({});

/** The call that valid params of `flow/run-child` or `capability/call` describe. */
export function readCall(method: string, params: JsonObject): ChildCall | CapabilityCall {
	const operationId = params.operationId as string;
	const slot = params.slot as string;
	const input = params.input!;
	const channels = Object.hasOwn(params, "channels") ? (params.channels as Record<string, string>) : NO_CHANNELS;
	if (method === "capability/call") {
		return { kind: "capability", operationId, slot, input, channels, method: params.method as string };
	}
	return Object.hasOwn(params, "intent")
		? { kind: "child", operationId, slot, input, channels, intent: params.intent as string }
		: { kind: "child", operationId, slot, input, channels };
}

/** The params of a channel request. */
export function channelParams(request: ChannelRequest): Record<string, unknown> {
	const params: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(request))
		if (name !== "method" && value !== undefined) params[name] = value;
	return params;
}

/** The request that valid params of a channel method describe. */
export function readChannelRequest(method: string, params: JsonObject): ChannelRequest {
	return { method, ...params } as ChannelRequest;
}

/** Whether a map has no members; also where there is none. */
export function isEmpty(map: object | undefined): boolean {
	for (const name in map) if (Object.hasOwn(map, name)) return false;
	return true;
}
