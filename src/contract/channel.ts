/** Channel Contract/1: the descriptor by which independently written participants agree on what messages mean. */

import { type JsonObject, type JsonValue, ownMember } from "../json/index.ts";
import type { Schema } from "../schema/index.ts";
import { exceedsUtf8, scalarLength } from "../text.ts";
import {
	CONTRACT_LIMITS,
	type ContractOptions,
	checkHeader,
	closedObject,
	identify,
	plainObject,
	readDescriptor,
} from "./descriptor.ts";
import { ContractError } from "./error.ts";
import type { ContractIdentity } from "./identity.ts";
import { compileEmbedded } from "./schemas.ts";

/** The exact `$schema` of a Channel Contract/1 descriptor. */
export const CHANNEL_CONTRACT_URI = "https://flow.jig.md/schemas/channel-contract-1.schema.json";

/** A checked Channel Contract/1. */
export interface ChannelContract {
	readonly identity: ContractIdentity;
	/** The descriptor as parsed. */
	readonly descriptor: JsonObject;
	/** The normative description; no host executes or validates it. */
	readonly semantics: string;
	/** The compiled item schema. */
	readonly item: Schema;
}

/**
 * Reads a Channel Contract/1 descriptor: at most 262,144 bytes of UTF-8 JSON/1, `semantics` 1 to 16,384 bytes of UTF-8
 * (section 2), its identity derived over the complete descriptor. The id is compared, never fetched.
 *
 * Throws `ContractError`: `CONTRACT_LIMIT_EXCEEDED`, `CONTRACT_INVALID_JSON`, `CONTRACT_INVALID`,
 * `CONTRACT_REFERENCE_INVALID`, with the pointer in the descriptor.
 */
export function parseChannelContract(source: Uint8Array | string, options?: ContractOptions): ChannelContract {
	return parseChannelContractValue(readDescriptor(source), options);
}

/** Like {@link parseChannelContract}, for a value that was already read as JSON/1 (or admitted by `admitJson`). */
export function parseChannelContractValue(value: JsonValue, options?: ContractOptions): ChannelContract {
	const root = closedObject(value, "", "A Channel Contract/1 descriptor", ROOT_REQUIRED, ["$defs"]);
	checkHeader(root, CHANNEL_CONTRACT_URI);
	const semantics = readSemantics(root.semantics!);
	const defs = ownMember(root, "$defs");
	if (defs !== undefined) plainObject(defs, "/$defs", "The definition map");
	let item: Schema | undefined;
	const take = (schema: Schema): void => {
		item = schema;
	};
	compileEmbedded([{ pointer: "/item", schema: root.item!, take }], defs as JsonObject | undefined, "/$defs");
	return Object.freeze({
		identity: identify("FLOW-Channel-Contract/1", root, options),
		descriptor: root,
		semantics,
		item: item!,
	});
}

const ROOT_REQUIRED = ["$schema", "id", "version", "semantics", "item"];

function readSemantics(value: JsonValue): string {
	const pointer = "/semantics";
	if (typeof value !== "string" || value === "") {
		throw new ContractError("CONTRACT_INVALID", '"semantics" must be a nonempty description.', { pointer });
	}
	// Characters can't tell: the bound is on bytes.
	if (exceedsUtf8(value, CONTRACT_LIMITS.semanticsBytes)) {
		throw new ContractError(
			"CONTRACT_LIMIT_EXCEEDED",
			`"semantics" (${scalarLength(value)} characters) is longer than ${CONTRACT_LIMITS.semanticsBytes} bytes of UTF-8.`,
			{ pointer },
		);
	}
	return value;
}
