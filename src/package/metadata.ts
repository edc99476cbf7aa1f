/** Metadata/1: the closed vocabulary of FLOW.md (Package/1 section 2). */

import { type ChannelDeclaration, ContractError, parseChannelDeclarations } from "../contract/index.ts";
import { quoteForDisplay } from "../display.ts";
import { checkReference, isLocalName, PathError } from "../grammar/index.ts";
import { appendPointer, isJsonObject, type JsonObject, type JsonValue, ownMember } from "../json/index.ts";
import { scalarLength } from "../text.ts";
import { PackageError, type PackageErrorCode } from "./error.ts";
import { FLOW_MD, splitFrontmatter } from "./frontmatter.ts";
import { PACKAGE_LIMITS } from "./limits.ts";
import { placeAt } from "./yaml/place.ts";
import { readYaml } from "./yaml/read.ts";

/** What a `uses` slot declares: a capability contract carried in the package (its path), or a nonportable local seam. */
export type CapabilityUse = { readonly local: true } | { readonly contract: string };

/** The most that an attachment may be granted. */
export type AttachmentAccess = "read" | "read-write";

/** The metadata of a FLOW.md. Every map is in the order of the file and empty where the file has none. */
export interface Metadata {
	readonly name: string;
	readonly description: string;
	readonly uses: ReadonlyMap<string, CapabilityUse>;
	/** Custom outcomes and their descriptions; `done` and the other reserved ones are never in it. */
	readonly outcomes: ReadonlyMap<string, string>;
	readonly attachments: ReadonlyMap<string, AttachmentAccess>;
	readonly channels: ReadonlyMap<string, ChannelDeclaration>;
	/** The `x-*` members, inert. */
	readonly extensions: JsonObject;
}

/** One author reference in FLOW.md, to a package path that has to exist. */
export interface MetadataReference {
	readonly kind: "capability" | "channel";
	/** The logical path, `./` stripped. */
	readonly path: string;
	/** Where FLOW.md says so. */
	readonly pointer: string;
	readonly line: number;
	readonly column: number;
}

/** A FLOW.md, read and checked on its own: whether its references exist is the package's to say. */
export interface FlowMd {
	readonly metadata: Metadata;
	/** The frontmatter as the JSON/1 value it stands for, omissions kept. */
	readonly frontmatter: JsonObject;
	/** Byte offset of the Markdown body, which runs to the end of the file as it is. */
	readonly bodyOffset: number;
	readonly references: readonly MetadataReference[];
}

/**
 * Reads FLOW.md: encoding, delimiters, guarded YAML, JSON/1, then the closed vocabulary (Package/1 section 2).
 *
 * Throws `PackageError` with line and column: `PACKAGE_ENCODING_INVALID`, `PACKAGE_FRONTMATTER_INVALID`,
 * `PACKAGE_YAML_INVALID`, `PACKAGE_LIMIT_EXCEEDED`, `PACKAGE_METADATA_INVALID`, `PACKAGE_REFERENCE_INVALID`.
 */
export function parseFlowMd(bytes: Uint8Array): FlowMd {
	const { yaml, bodyOffset } = splitFrontmatter(bytes);
	const { text, value, offsets } = readYaml(yaml);
	const reader = new Reader(text, offsets);
	const metadata = reader.read(value);
	return Object.freeze({
		metadata,
		frontmatter: value as JsonObject,
		bodyOffset,
		references: Object.freeze(reader.references),
	});
}

/** Outcomes that the standard itself gives a meaning to. */
const RESERVED_OUTCOMES: readonly string[] = ["done", "failed", "cancelled", "error"];

const VOCABULARY: readonly string[] = ["name", "description", "uses", "outcomes", "attachments", "channels"];
const EXTENSION = "x-";

class Reader {
	readonly #text: string;
	readonly #offsets: ReadonlyMap<string, number>;
	readonly references: MetadataReference[] = [];

	constructor(text: string, offsets: ReadonlyMap<string, number>) {
		this.#text = text;
		this.#offsets = offsets;
	}

	read(value: JsonValue): Metadata {
		if (!isJsonObject(value)) throw this.#refuse("", "The frontmatter must be a map with a name and a description.");
		const extensions: [string, JsonValue][] = [];
		for (const key of Object.keys(value)) {
			if (VOCABULARY.includes(key)) continue;
			if (!key.startsWith(EXTENSION) || !isLocalName(key.slice(EXTENSION.length))) throw this.#unknown("", key);
			extensions.push([key, value[key]!]);
		}
		return Object.freeze({
			name: this.#name(value),
			description: this.#description(value),
			uses: this.#entries(value, "uses", (entry, at) => this.#use(entry, at)),
			outcomes: this.#entries(value, "outcomes", (entry, at, name) => this.#outcome(entry, at, name)),
			attachments: this.#entries(value, "attachments", (entry, at) => this.#attachment(entry, at)),
			channels: this.#channels(value),
			extensions: Object.freeze(Object.fromEntries(extensions)),
		});
	}

	#name(root: JsonObject): string {
		const name = ownMember(root, "name");
		if (isLocalName(name)) return name;
		const rule = "1 to 64 lower-case letters and digits, in groups joined by single hyphens";
		throw this.#refuse("/name", name === undefined ? "The required name is missing." : `The name must be ${rule}.`);
	}

	#description(root: JsonObject): string {
		const description = ownMember(root, "description");
		if (description === undefined) throw this.#refuse("/description", "The required description is missing.");
		const text = this.#nonempty(description, "/description", "The description");
		const max = PACKAGE_LIMITS.descriptionScalars;
		if (scalarLength(text) > max) {
			throw this.#refuse("/description", `The description is longer than ${max} characters.`, "PACKAGE_LIMIT_EXCEEDED");
		}
		return text;
	}

	#nonempty(value: JsonValue, pointer: string, what: string): string {
		if (typeof value !== "string" || value === "") throw this.#refuse(pointer, `${what} must be nonempty text.`);
		return value;
	}

	#entries<T>(
		root: JsonObject,
		field: string,
		readEntry: (entry: JsonValue, pointer: string, name: string) => T,
	): Map<string, T> {
		const entries = new Map<string, T>();
		const value = ownMember(root, field);
		if (value === undefined) return entries;
		const pointer = `/${field}`;
		if (!isJsonObject(value)) throw this.#refuse(pointer, `"${field}" must be a map.`);
		for (const name of Object.keys(value)) {
			const at = appendPointer(pointer, name);
			if (!isLocalName(name)) {
				throw this.#refuse(at, `${quoteForDisplay(name)} is no LocalName such as "session-store".`);
			}
			entries.set(name, readEntry(value[name]!, at, name));
		}
		return entries;
	}

	#use(value: JsonValue, pointer: string): CapabilityUse {
		const form = 'A slot is exactly one of "contract: ./path" and "local: true".';
		if (!isJsonObject(value)) throw this.#refuse(pointer, form);
		const keys = Object.keys(value);
		const unknown = keys.find((key) => key !== "contract" && key !== "local");
		if (unknown !== undefined) throw this.#unknown(pointer, unknown);
		if (keys.length !== 1) throw this.#refuse(pointer, form);
		if (keys[0] === "local") {
			if (value.local !== true) throw this.#refuse(`${pointer}/local`, '"local" is exactly true.');
			return Object.freeze({ local: true });
		}
		const contract = this.#reference(value.contract!, `${pointer}/contract`);
		this.#refer("capability", contract, `${pointer}/contract`);
		return Object.freeze({ contract });
	}

	#outcome(value: JsonValue, pointer: string, name: string): string {
		if (RESERVED_OUTCOMES.includes(name)) {
			throw this.#refuse(pointer, `"${name}" is a reserved outcome and can't be declared.`);
		}
		return this.#nonempty(value, pointer, "The description of an outcome");
	}

	#attachment(value: JsonValue, pointer: string): AttachmentAccess {
		if (value !== "read" && value !== "read-write") {
			throw this.#refuse(pointer, 'An attachment is exactly "read" or "read-write".');
		}
		return value;
	}

	#channels(root: JsonObject): ReadonlyMap<string, ChannelDeclaration> {
		const value = ownMember(root, "channels");
		if (value === undefined) return new Map();
		let channels: Map<string, ChannelDeclaration>;
		try {
			channels = parseChannelDeclarations(value, "/channels");
		} catch (error) {
			if (!(error instanceof ContractError)) throw error;
			const misspelled = error.code === "CONTRACT_REFERENCE_INVALID" && error.schemaCode === undefined;
			const code = misspelled ? "PACKAGE_REFERENCE_INVALID" : "PACKAGE_METADATA_INVALID";
			throw this.#refuse(error.pointer, error.message, code, error);
		}
		for (const [name, { contract }] of channels) {
			if (contract !== undefined) this.#refer("channel", contract, `/channels/${name}/contract`);
		}
		return channels;
	}

	#reference(value: JsonValue, pointer: string): string {
		if (typeof value !== "string") {
			throw this.#refuse(
				pointer,
				'A contract is a package-local reference such as "./contracts/index.capability.json".',
			);
		}
		try {
			return checkReference(value);
		} catch (error) {
			if (!(error instanceof PathError)) throw error;
			throw this.#refuse(pointer, `The ${error.message}.`, "PACKAGE_REFERENCE_INVALID", error);
		}
	}

	#refer(kind: MetadataReference["kind"], path: string, pointer: string): void {
		const place = placeAt(this.#text, this.#offsetOf(pointer));
		this.references.push(Object.freeze({ kind, path, pointer, ...place }));
	}

	#unknown(parent: string, key: string): PackageError {
		const hint =
			parent === "" ? ` Its fields are ${VOCABULARY.join(", ")}, and extensions named "x-" and a LocalName.` : "";
		return this.#refuse(appendPointer(parent, key), `Metadata/1 has no field ${quoteForDisplay(key)} here.${hint}`);
	}

	#refuse(
		pointer: string,
		message: string,
		code: PackageErrorCode = "PACKAGE_METADATA_INVALID",
		cause?: unknown,
	): PackageError {
		const { line, column } = placeAt(this.#text, this.#offsetOf(pointer));
		const place = { path: FLOW_MD, pointer, line, column, cause };
		return new PackageError(code, `FLOW.md line ${line}, column ${column}: ${message}`, place);
	}

	/** The nearest part that FLOW.md really has: a pointer may name a member that is missing. */
	#offsetOf(pointer: string): number {
		for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
			const offset = this.#offsets.get(at);
			if (offset !== undefined) return offset;
		}
		return 0;
	}
}
