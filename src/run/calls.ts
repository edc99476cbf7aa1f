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
	const params: Record<string, unknown> = { operationId, slot };
	if (call.kind === "child") {
		if (call.intent !== undefined) params.intent = call.intent;
	} else params.method = call.method;
	params.input = input;
	if (!isEmpty(channels)) params.channels = channels;
	return params;
}

/** The call that valid params of `flow/run-child` or `capability/call` describe. */
export function readCall(method: string, params: JsonObject): ChildCall | CapabilityCall {
	const common = {
		operationId: params.operationId as string,
		slot: params.slot as string,
		input: params.input!,
		channels: Object.hasOwn(params, "channels") ? (params.channels as Record<string, string>) : {},
	};
	if (method === "capability/call") return { kind: "capability", ...common, method: params.method as string };
	return Object.hasOwn(params, "intent")
		? { kind: "child", ...common, intent: params.intent as string }
		: { kind: "child", ...common };
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

function isEmpty(map: object | undefined): boolean {
	return map === undefined || Object.keys(map).length === 0;
}
