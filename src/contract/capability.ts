/** Capability Contract/1: the descriptor of a stable machine interface. */

import { appendPointer, type JsonObject, type JsonValue, ownMember } from "../json/index.ts";
import type { Schema } from "../schema/index.ts";
import { type ChannelDeclaration, readChannelDeclarations } from "./channel-declarations.ts";
import {
	CONTRACT_LIMITS,
	type ContractOptions,
	checkHeader,
	checkName,
	closedObject,
	identify,
	plainObject,
	readDescriptor,
} from "./descriptor.ts";
import { ContractError } from "./error.ts";
import type { ContractIdentity } from "./identity.ts";
import { compileEmbedded, type EmbeddedRoot } from "./schemas.ts";

/** The exact `$schema` of a Capability Contract/1 descriptor. */
export const CAPABILITY_CONTRACT_URI = "https://flow.jig.md/schemas/capability-contract-1.schema.json";

/** One method of a capability: what goes in, what comes out, which application errors it names. */
export interface CapabilityMethod {
	readonly input: Schema;
	readonly output: Schema;
	readonly errors: ReadonlyMap<string, Schema>;
	readonly channels: ReadonlyMap<string, ChannelDeclaration>;
}

/** A checked Capability Contract/1. */
export interface CapabilityContract {
	readonly identity: ContractIdentity;
	/** The descriptor as parsed: nothing that its author left out is filled in, so it still has this digest. */
	readonly descriptor: JsonObject;
	readonly methods: ReadonlyMap<string, CapabilityMethod>;
	/** The package paths of the channel contracts its methods name, each once; they resolve from the package root. */
	readonly references: readonly string[];
}

/**
 * Reads a Capability Contract/1 descriptor: at most 262,144 bytes of UTF-8 JSON/1 (section 1), all of its schemas compiled
 * together under Schema/1's graph-wide limits, its identity derived (section 3). The id is compared, never fetched.
 *
 * Throws `ContractError`: `CONTRACT_LIMIT_EXCEEDED`, `CONTRACT_INVALID_JSON`, `CONTRACT_INVALID`,
 * `CONTRACT_REFERENCE_INVALID`, with the pointer in the descriptor.
 */
export function parseCapabilityContract(source: Uint8Array | string, options?: ContractOptions): CapabilityContract {
	return parseCapabilityContractValue(readDescriptor(source), options);
}

/** Like {@link parseCapabilityContract}, for a value that was already read as JSON/1 (or admitted by `admitJson`). */
export function parseCapabilityContractValue(value: JsonValue, options?: ContractOptions): CapabilityContract {
	const root = closedObject(value, "", "A Capability Contract/1 descriptor", ROOT_REQUIRED, ["$defs"]);
	checkHeader(root, CAPABILITY_CONTRACT_URI);
	if (root.flowCapabilityContract !== 1) {
		throw new ContractError("CONTRACT_INVALID", '"flowCapabilityContract" must be the integer 1.', {
			pointer: "/flowCapabilityContract",
		});
	}
	const defs = ownMember(root, "$defs");
	if (defs !== undefined) {
		checkCount(plainObject(defs, "/$defs", "The definition map"), "/$defs", "definitions");
	}
	const roots: EmbeddedRoot[] = [];
	const methods = readMethods(root.methods!, roots);
	compileEmbedded(roots, defs as JsonObject | undefined, "/$defs");

	const references = new Set<string>();
	for (const method of methods.values()) {
		for (const channel of method.channels.values()) {
			Object.freeze(channel);
			if (channel.contract !== undefined) references.add(channel.contract);
		}
		Object.freeze(method);
	}
	return Object.freeze({
		identity: identify("FLOW-Capability-Contract/1", root, options),
		descriptor: root,
		methods,
		references: Object.freeze([...references]),
	});
}

const ROOT_REQUIRED = ["$schema", "flowCapabilityContract", "id", "version", "methods"];

function readMethods(value: JsonValue, roots: EmbeddedRoot[]): Map<string, CapabilityMethod> {
	const map = plainObject(value, "/methods", "The method map");
	const names = Object.keys(map);
	if (names.length === 0) {
		throw new ContractError("CONTRACT_INVALID", "A capability has at least one method.", { pointer: "/methods" });
	}
	checkCount(map, "/methods", "methods");
	const methods = new Map<string, CapabilityMethod>();
	for (const name of names) {
		const pointer = appendPointer("/methods", name);
		checkName(name, pointer, "A method name");
		methods.set(name, readMethod(map[name]!, pointer, roots));
	}
	return methods;
}

function readMethod(value: JsonValue, pointer: string, roots: EmbeddedRoot[]): CapabilityMethod {
	const object = closedObject(value, pointer, "A method", ["input", "output", "errors"], ["channels"]);
	const errors = new Map<string, Schema>();
	// Filled by the takers once the whole graph is compiled; nobody sees the draft before that.
	const method = { errors, channels: NO_CHANNELS } as Partial<CapabilityMethod> as {
		-readonly [F in keyof CapabilityMethod]: CapabilityMethod[F];
	};
	roots.push({
		pointer: `${pointer}/input`,
		schema: object.input!,
		take: (schema) => {
			method.input = schema;
		},
	});
	roots.push({
		pointer: `${pointer}/output`,
		schema: object.output!,
		take: (schema) => {
			method.output = schema;
		},
	});
	const errorsPointer = `${pointer}/errors`;
	const map = plainObject(object.errors!, errorsPointer, "The error map");
	checkCount(map, errorsPointer, "errors");
	for (const name of Object.keys(map)) {
		const at = appendPointer(errorsPointer, name);
		checkName(name, at, "An error name");
		roots.push({ pointer: at, schema: map[name]!, take: (schema) => errors.set(name, schema) });
	}
	const channels = ownMember(object, "channels");
	if (channels !== undefined) method.channels = readChannelDeclarations(channels, `${pointer}/channels`, roots);
	return method;
}

const NO_CHANNELS: ReadonlyMap<string, ChannelDeclaration> = new Map();

function checkCount(map: JsonObject, pointer: string, limit: "methods" | "errors" | "definitions"): void {
	const max = CONTRACT_LIMITS[limit];
	const count = Object.keys(map).length;
	if (count > max) {
		throw new ContractError("CONTRACT_LIMIT_EXCEEDED", `${count} ${limit} where ${max} are allowed.`, { pointer });
	}
}
