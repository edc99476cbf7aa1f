/**
 * Every Run/1 method in one table: who may send it, the closed shape of its params and of its result (sections 3 to 5.1).
 * The context-free part of the published machine schema, except envelopes (see `messages.ts`).
 */

import { isContractIdentity } from "../contract/identity.ts";
import { WIRE_CODES } from "./codes.ts";
import { RUN_LIMITS } from "./limits.ts";
import {
	all,
	anything,
	type Check,
	closed,
	either,
	integer,
	literal,
	localName,
	mapOf,
	matching,
	object,
	text,
	token,
} from "./shapes.ts";

export type RoleName = "component" | "host";

export interface MethodRule {
	/** The one role that may send it. */
	readonly from: RoleName;
	readonly params: Check;
	readonly result: Check;
}

const code: Check = literal(...WIRE_CODES);

const contract: Check = (value) =>
	isContractIdentity(value) ? undefined : { path: [], message: "must be a contract identity { id, version, digest }" };

/** A grant of one direction; only receivers have a start, and a direct one starts at 1 (section 5.1). */
function grant(direction: "send" | "receive", delivery: "direct" | "broadcast"): Check {
	const start = delivery === "direct" ? literal(1) : integer(1);
	return closed(
		{
			endpoint: token,
			direction: literal(direction),
			delivery: literal(delivery),
			...(direction === "receive" ? { startSequence: start } : {}),
		},
		{ contract },
	);
}

/** Each grant of a map is another endpoint (section 3). */
const distinct: Check = (value) => {
	const seen = new Set<unknown>();
	for (const [name, { endpoint }] of Object.entries(
		value as unknown as Record<string, { readonly endpoint: string }>,
	)) {
		if (seen.has(endpoint))
			return { path: [name, "endpoint"], message: "must be another endpoint than those before it" };
		seen.add(endpoint);
	}
	return undefined;
};

const grants: Check = all(
	mapOf(
		either(
			"must be an endpoint grant { endpoint, direction, delivery, contract?, startSequence for a receiver }",
			grant("send", "direct"),
			grant("receive", "direct"),
			grant("send", "broadcast"),
			grant("receive", "broadcast"),
		),
		RUN_LIMITS.channels,
	),
	distinct,
);

const references: Check = mapOf(token, RUN_LIMITS.channels);
const attachment: Check = closed({ path: text(1), access: literal("read", "read-write") });
const runResult: Check = closed({ outcome: localName, output: anything });
const endpoint: Check = closed({ endpoint: token });

const capabilityResult: Check = either(
	"must be exactly { value } or { error: { name, data } }",
	closed({ value: anything }),
	closed({ error: closed({ name: localName, data: anything }) }),
);

const schemaOrContract: Check = (value) =>
	typeof value === "object" && value !== null && Object.hasOwn(value, "schema") && Object.hasOwn(value, "contract")
		? { path: [], message: "has both schema and contract; they exclude each other" }
		: undefined;

const createParams: Check = all(
	closed(
		{},
		{
			delivery: literal("direct", "broadcast"),
			schema: either("must be an object or a boolean", object, (value) =>
				typeof value === "boolean" ? undefined : { path: [], message: "" },
			),
			// The reference grammar proper is the package's business: a bad one fails operationally, not as a shape.
			contract: all(
				text(1, RUN_LIMITS.referenceScalars),
				matching((value) => /^\.\/[^\\]+$/.test(value), 'must start with "./" and have no backslash'),
			),
		},
	),
	schemaOrContract,
);

const createResult: Check = either(
	"must be { send, receive } of a direct source or { send, source } of a broadcast source",
	closed({ send: grant("send", "direct"), receive: grant("receive", "direct") }),
	closed({ send: grant("send", "broadcast"), source: token }),
);

const readResult: Check = either(
	"must be { item: { sequence, value } } or { end: { lastSequence } }",
	closed({ item: closed({ sequence: integer(1), value: anything }) }),
	closed({ end: closed({ lastSequence: integer(0) }) }),
);

const releaseResult: Check = either(
	'must be { status: "released" }, { status: "ended", lastSequence } or { status: "failed", code, details? }',
	closed({ status: literal("released") }),
	closed({ status: literal("ended"), lastSequence: integer(0) }),
	closed({ status: literal("failed"), code }, { details: anything }),
);

const accepted: Check = literal(null);

export const METHODS: ReadonlyMap<string, MethodRule> = new Map<string, MethodRule>([
	[
		"flow/run",
		{
			from: "host",
			params: closed(
				{
					protocol: literal("run/1"),
					input: anything,
					settings: object,
					attachments: mapOf(attachment, RUN_LIMITS.attachments),
					scratch: text(1),
					deadlineUnixMs: integer(0),
				},
				{ channels: grants },
			),
			result: runResult,
		},
	],
	[
		"flow/run-child",
		{
			from: "component",
			params: closed(
				{ operationId: token, slot: localName, input: anything },
				{ intent: text(1, RUN_LIMITS.intentScalars), channels: references },
			),
			result: runResult,
		},
	],
	[
		"capability/call",
		{
			from: "component",
			params: closed(
				{ operationId: token, slot: localName, method: localName, input: anything },
				{ channels: references },
			),
			result: capabilityResult,
		},
	],
	["channel/create", { from: "component", params: createParams, result: createResult }],
	[
		"channel/subscribe",
		{ from: "component", params: closed({ source: token }), result: grant("receive", "broadcast") },
	],
	["channel/send", { from: "component", params: closed({ endpoint: token, value: anything }), result: accepted }],
	["channel/next", { from: "component", params: endpoint, result: readResult }],
	["channel/close", { from: "component", params: endpoint, result: accepted }],
	["channel/release", { from: "component", params: endpoint, result: releaseResult }],
]);

/** The params of the one notification, `request/cancel` (section 8). */
export const CANCEL_PARAMS: Check = closed({ requestId: token });
