/** Channel declarations (Channel Contract/1 section 1), as FLOW.md and capability methods write them. */

import { checkReference, PathError } from "../grammar/index.ts";
import { appendPointer, type JsonObject, type JsonValue, ownMember } from "../json/index.ts";
import { compileInlineSchema, type Schema } from "../schema/index.ts";
import { checkName, closedObject, plainObject } from "./descriptor.ts";
import { ContractError } from "./error.ts";
import { asContractError, type EmbeddedRoot } from "./schemas.ts";

/** One directional port. It states a requirement and grants nothing. */
export interface ChannelDeclaration {
	readonly direction: "send" | "receive";
	/** Whether the port must be connected; `true` where the declaration says nothing. */
	readonly required: boolean;
	/** The compiled inline item schema; absent for a generic port or one with a `contract`. */
	readonly schema?: Schema;
	/** The inline item schema as written: matching compares canonical content. */
	readonly schemaValue?: JsonValue;
	/** The package path of a channel contract, its leading `./` stripped. */
	readonly contract?: string;
	/** Absent when either supported profile is accepted. */
	readonly delivery?: "direct" | "broadcast";
	/** Receive ports only; `beginning` where the declaration says nothing. */
	readonly start?: "beginning" | "suffix";
}

type Draft = { -readonly [Field in keyof ChannelDeclaration]: ChannelDeclaration[Field] };

/**
 * Reads a `channels` map whose inline schemas join a graph that the caller compiles: a capability method's, whose
 * schemas may use the descriptor's `$defs`. Every inline schema is pushed to `roots`; the map is whole once those are
 * compiled. Throws `CONTRACT_INVALID`, `CONTRACT_REFERENCE_INVALID`. Linear; no count bound beyond JSON/1's.
 */
export function readChannelDeclarations(
	value: JsonValue,
	pointer: string,
	roots: EmbeddedRoot[],
): Map<string, ChannelDeclaration> {
	const declarations = new Map<string, ChannelDeclaration>();
	const map = plainObject(value, pointer, "A channels map");
	for (const name of Object.keys(map)) {
		const at = appendPointer(pointer, name);
		checkName(name, at, "A channel name");
		const draft = readDeclaration(map[name]!, at);
		if (draft.schemaValue !== undefined) {
			const take = (schema: Schema): void => {
				draft.schema = schema;
			};
			roots.push({ pointer: `${at}/schema`, schema: draft.schemaValue, take });
		}
		declarations.set(name, draft);
	}
	return declarations;
}

/**
 * Reads the `channels` map of FLOW.md metadata. Each inline schema is a root of its own: it may declare `$defs`, and
 * still has no `$schema`. `pointer` is where the map stands, for errors.
 * Throws `ContractError`: `CONTRACT_INVALID`, `CONTRACT_REFERENCE_INVALID`, `CONTRACT_LIMIT_EXCEEDED`, with `schemaCode`
 * where an inline schema is at fault.
 */
export function parseChannelDeclarations(value: JsonValue, pointer: string): Map<string, ChannelDeclaration> {
	const roots: EmbeddedRoot[] = [];
	const declarations = readChannelDeclarations(value, pointer, roots);
	for (const root of roots) root.take(asContractError(() => compileInlineSchema(root.schema, root.pointer)));
	for (const declaration of declarations.values()) Object.freeze(declaration);
	return declarations;
}

function readDeclaration(value: JsonValue, pointer: string): Draft {
	const object = closedObject(value, pointer, "A channel declaration", ["direction"], FIELDS);
	const direction = oneOf(object, "direction", pointer, ["send", "receive"] as const)!;
	// Not `??`: null is a value, and no boolean.
	const required = Object.hasOwn(object, "required") ? object.required : true;
	if (typeof required !== "boolean") {
		throw new ContractError("CONTRACT_INVALID", '"required" must be true or false.', {
			pointer: `${pointer}/required`,
		});
	}
	const draft: Draft = { direction, required };
	const schema = ownMember(object, "schema");
	const contract = ownMember(object, "contract");
	if (schema !== undefined) draft.schemaValue = schema;
	if (contract !== undefined) {
		if (schema !== undefined) {
			throw new ContractError("CONTRACT_INVALID", 'A channel has "schema" or "contract", never both.', { pointer });
		}
		draft.contract = readReference(contract, `${pointer}/contract`);
	}
	const delivery = oneOf(object, "delivery", pointer, ["direct", "broadcast"] as const);
	if (delivery !== undefined) draft.delivery = delivery;
	const start = oneOf(object, "start", pointer, ["beginning", "suffix"] as const);
	if (direction === "receive") draft.start = start ?? "beginning";
	else if (start !== undefined) {
		throw new ContractError("CONTRACT_INVALID", '"start" belongs to receive ports only.', {
			pointer: `${pointer}/start`,
		});
	}
	return draft;
}

const FIELDS = ["required", "schema", "contract", "delivery", "start"];

function oneOf<const T extends string>(
	object: JsonObject,
	name: string,
	pointer: string,
	words: readonly T[],
): T | undefined {
	const value = ownMember(object, name);
	if (value === undefined) return undefined;
	const found = words.find((word) => word === value);
	if (found === undefined) {
		throw new ContractError("CONTRACT_INVALID", `"${name}" must be "${words.join('" or "')}".`, {
			pointer: appendPointer(pointer, name),
		});
	}
	return found;
}

/** A package-local reference by Package/1's rules, as a package path. Throws `CONTRACT_REFERENCE_INVALID`. */
function readReference(value: JsonValue, pointer: string): string {
	if (typeof value !== "string") {
		const message = '"contract" must be a package-local reference such as "./contracts/updates.json".';
		throw new ContractError("CONTRACT_INVALID", message, { pointer });
	}
	try {
		return checkReference(value);
	} catch (error) {
		if (!(error instanceof PathError)) throw error;
		throw new ContractError("CONTRACT_REFERENCE_INVALID", error.message, { pointer, cause: error });
	}
}
