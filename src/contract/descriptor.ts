/** What Capability Contract/1 and Channel Contract/1 descriptors have in common: bytes to value, closed objects, digest. */

import { isLocalName } from "../grammar/index.ts";
import {
	appendPointer,
	canonicalize,
	isJsonObject,
	JsonError,
	type JsonObject,
	type JsonValue,
	ownMember,
	parseJson,
} from "../json/index.ts";
import { type Digest, portableSha256, renderDigest, type Sha256Factory } from "../sha256.ts";
import { exceedsUtf8 } from "../text.ts";
import { encodeUtf8 } from "../web.ts";
import { ContractError } from "./error.ts";
import { type ContractIdentity, isContractId, isContractVersion } from "./identity.ts";

/** Inclusive bounds of the two descriptor formats; the schema graph inside them has those of Schema/1. */
export const CONTRACT_LIMITS = {
	/** UTF-8 bytes of one descriptor */
	bytes: 262_144,
	/** methods of one capability */
	methods: 256,
	/** named errors of one method */
	errors: 128,
	/** shared definitions of a capability descriptor */
	definitions: 1_024,
	/** UTF-8 bytes of a channel contract's `semantics` */
	semanticsBytes: 16_384,
} as const;

/** What a descriptor reader may be lent. */
export interface ContractOptions {
	/** A native SHA-256; the portable one when absent. */
	readonly sha256?: Sha256Factory;
}

/**
 * The root object of a descriptor's bytes or text. The byte bound is checked before anything is parsed; a string is
 * measured as the UTF-8 that it stands for. Throws `CONTRACT_LIMIT_EXCEEDED`, `CONTRACT_INVALID_JSON`.
 */
export function readDescriptor(source: Uint8Array | string): JsonValue {
	const max = CONTRACT_LIMITS.bytes;
	const tooLong = typeof source === "string" ? exceedsUtf8(source, max) : source.length > max;
	if (tooLong) {
		throw new ContractError("CONTRACT_LIMIT_EXCEEDED", `The descriptor is longer than ${max} bytes of UTF-8.`, {
			pointer: "",
		});
	}
	try {
		return parseJson(source);
	} catch (error) {
		if (!(error instanceof JsonError)) throw error;
		throw new ContractError("CONTRACT_INVALID_JSON", `The descriptor is no JSON/1 document: ${error.message}`, {
			pointer: "",
			cause: error,
		});
	}
}

/**
 * `value` as an object whose members are all in `required` or `optional`, every required one present: unknown fields
 * reject at every level of a descriptor. Throws `CONTRACT_INVALID` at the object or at the unknown member.
 */
export function closedObject(
	value: JsonValue,
	pointer: string,
	what: string,
	required: readonly string[],
	optional: readonly string[],
): JsonObject {
	const object = plainObject(value, pointer, what);
	for (const name of Object.keys(object)) {
		if (!required.includes(name) && !optional.includes(name)) {
			throw new ContractError(
				"CONTRACT_INVALID",
				`${what} has no such field; its fields are ${[...required, ...optional].join(", ")}.`,
				{ pointer: appendPointer(pointer, name) },
			);
		}
	}
	for (const name of required) {
		if (!Object.hasOwn(object, name)) {
			throw new ContractError("CONTRACT_INVALID", `${what} needs "${name}".`, { pointer });
		}
	}
	return object;
}

/** `value` as a JSON object, or `CONTRACT_INVALID`. */
export function plainObject(value: JsonValue, pointer: string, what: string): JsonObject {
	if (!isJsonObject(value)) {
		throw new ContractError("CONTRACT_INVALID", `${what} must be a JSON object.`, { pointer });
	}
	return value;
}

/** Checks the name of a method, an error or a channel. Throws `CONTRACT_INVALID`. */
export function checkName(name: string, pointer: string, what: string): void {
	if (!isLocalName(name)) {
		throw new ContractError("CONTRACT_INVALID", `${what} must be a LocalName such as "read-all".`, { pointer });
	}
}

/** Checks the members that name the format and the contract: `$schema`, `id`, `version`. Throws `CONTRACT_INVALID`. */
export function checkHeader(root: JsonObject, uri: string): void {
	if (ownMember(root, "$schema") !== uri) {
		throw new ContractError("CONTRACT_INVALID", `"$schema" must be exactly "${uri}".`, { pointer: "/$schema" });
	}
	if (!isContractId(ownMember(root, "id"))) {
		throw new ContractError(
			"CONTRACT_INVALID",
			"The id must be a canonical https URI in lower ASCII: a DNS name of two or more labels and one or more path segments, without user, port, IP literal, percent encoding, query or fragment.",
			{ pointer: "/id" },
		);
	}
	if (!isContractVersion(ownMember(root, "version"))) {
		throw new ContractError(
			"CONTRACT_INVALID",
			'The version must be three decimal numbers such as "1.0.0", without leading zeros, prefix or suffix.',
			{ pointer: "/version" },
		);
	}
}

/**
 * The identity of a whole descriptor: SHA-256 over the format's domain separator and the RFC 8785 form of everything in
 * it, annotations included (Capability Contract/1 section 3, Channel Contract/1 section 2).
 */
export function identify(
	domain: string,
	descriptor: JsonObject,
	options: ContractOptions | undefined,
): ContractIdentity {
	const hash = (options?.sha256 ?? portableSha256)();
	hash.update(encodeUtf8(`${domain}\0`));
	hash.update(canonicalize(descriptor));
	const digest: Digest = renderDigest(hash);
	return Object.freeze({ id: descriptor.id as string, version: descriptor.version as string, digest });
}
