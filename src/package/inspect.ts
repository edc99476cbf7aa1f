/** Inert inspection (Package/1): one snapshot of everything that can be said about a package without running it. */

import type { CapabilityContract, ChannelContract, ChannelDeclaration, ContractIdentity } from "../contract/index.ts";
import { quoteForDisplay } from "../display.ts";
import type { JsonObject } from "../json/index.ts";
import { compileSchema, SCHEMA_LIMITS, type Schema, SchemaError } from "../schema/index.ts";
import type { Digest } from "../sha256.ts";
import { type Advisory, advise } from "./advisories.ts";
import { type PackageContracts, readContracts } from "./contracts.ts";
import { checkExpected, type DigestOptions, digestTree, type ManifestFile } from "./digest.ts";
import { type Entrypoint, findEntrypoint, readSelector, SELECTOR_BYTES } from "./entrypoint.ts";
import { PackageError } from "./error.ts";
import { FLOW_MD } from "./frontmatter.ts";
import { INSPECTION_BYTES } from "./limits.ts";
import { type AttachmentAccess, type Metadata, parseFlowMd } from "./metadata.ts";
import { collectEntry, listSource, Stop } from "./reading.ts";
import type { PackageEntry, PackageSource } from "./source.ts";
import { admitTree } from "./tree.ts";

/** How to inspect: the options of a digest, and how much may be held in memory. */
export interface InspectOptions extends DigestOptions {
	/** Whether each file gets a SHA-256 of its own; `true` unless given. */
	readonly manifest?: boolean;
	/**
	 * Bytes of FLOW.md, schemas and descriptors to hold together; 64 MiB unless given. More is `PACKAGE_CAPACITY`: this host's
	 * bound, not the package's fault.
	 */
	readonly capacityBytes?: number;
}

/** A `uses` slot, resolved: the contract that the package carries for it, or a nonportable local seam. */
export type ResolvedUse = { readonly local: true } | { readonly contract: CapabilityContract; readonly path: string };

/** A port of FLOW.md; `contractIdentity` where it names a channel contract. */
export interface ResolvedChannel extends ChannelDeclaration {
	readonly contractIdentity?: ContractIdentity;
}

/** The conventional schemas that the package has (Package/1 section 4); each absence has its own meaning. */
export interface PackageSchemas {
	readonly input?: Schema;
	readonly settings?: Schema;
	readonly result?: Schema;
}

/** Everything about one package, derived from one reading of its bytes. Immutable. */
export interface PackageSnapshot {
	readonly digest: Digest;
	/** Every file in path order. */
	readonly files: readonly ManifestFile[];
	readonly metadata: Metadata;
	/** The frontmatter as the JSON/1 value it stands for, omissions kept. */
	readonly frontmatter: JsonObject;
	/** The Markdown body, byte for byte. */
	readonly body: Uint8Array;
	/** Where in FLOW.md the body begins, in bytes. */
	readonly bodyOffset: number;
	/** Absent for an instructions-only package. */
	readonly entrypoint?: Entrypoint;
	readonly schemas: PackageSchemas;
	readonly uses: ReadonlyMap<string, ResolvedUse>;
	readonly channels: ReadonlyMap<string, ResolvedChannel>;
	/** By path: those of FLOW.md's ports and those of capability methods. */
	readonly channelContracts: ReadonlyMap<string, ChannelContract>;
	readonly outcomes: ReadonlyMap<string, string>;
	readonly attachments: ReadonlyMap<string, AttachmentAccess>;
	readonly advisories: readonly Advisory[];
}

/**
 * Inspects a package and derives its digest from the very bytes it inspected: FLOW.md, schemas and descriptors are read
 * first and held, and what is held is what is hashed, so every file is opened exactly once. Nothing is executed, fetched or
 * resolved outside the package.
 *
 * Checks, in order: the tree, one entrypoint at most, FLOW.md, the conventional schemas, the references and their contracts
 * (equivocation inside the package included), then the contents as they are hashed, the selector, the expected digest.
 *
 * Throws `PackageError` with any of its codes, and `TypeError` for an `expect` that is no digest.
 */
export async function inspectPackage(source: PackageSource, options: InspectOptions = {}): Promise<PackageSnapshot> {
	checkExpected(options.expect);
	const stop = new Stop(options.signal);
	try {
		return await inspect(source, stop, options);
	} finally {
		stop.release();
	}
}

async function inspect(source: PackageSource, stop: Stop, options: InspectOptions): Promise<PackageSnapshot> {
	const tree = admitTree(await listSource(source, stop));
	const files = new Map(tree.files.map((entry) => [entry.path, entry]));
	const found = findEntrypoint(files.keys());
	const held = new Held(source, stop, options.capacityBytes ?? INSPECTION_BYTES);
	const hold = (entry: PackageEntry): Promise<Uint8Array> => held.hold(entry);

	const flowMd = await hold(files.get(FLOW_MD)!);
	const { metadata, frontmatter, bodyOffset, references } = parseFlowMd(flowMd);
	const schemas = await readSchemas(files, hold);
	const contracts = await readContracts(references, { files, hold, sha256: options.sha256 });

	const firstLine = new FirstBytes(SELECTOR_BYTES);
	const { digest, files: manifest } = await digestTree(
		source,
		tree,
		stop,
		{ ...options, manifest: options.manifest ?? true },
		{
			held: held.files,
			...(found === undefined ? {} : { watch: { path: found.path, see: (chunk) => firstLine.see(chunk) } }),
		},
	);
	return Object.freeze({
		digest,
		files: manifest,
		metadata,
		frontmatter,
		body: flowMd.subarray(bodyOffset),
		bodyOffset,
		...(found === undefined ? {} : { entrypoint: withSelector(found, firstLine.bytes()) }),
		schemas,
		uses: resolveUses(metadata, contracts),
		channels: resolveChannels(metadata, contracts),
		channelContracts: contracts.channels,
		outcomes: metadata.outcomes,
		attachments: metadata.attachments,
		advisories: advise(tree.files, flowMd),
	});
}

/** Whole files kept for the pass that hashes them, within a bound on their sum. */
class Held {
	readonly #source: PackageSource;
	readonly #stop: Stop;
	readonly #capacity: number;
	readonly files: Map<string, Uint8Array> = new Map();
	#bytes = 0;

	constructor(source: PackageSource, stop: Stop, capacity: number) {
		this.#source = source;
		this.#stop = stop;
		this.#capacity = capacity;
	}

	async hold(entry: PackageEntry): Promise<Uint8Array> {
		const known = this.files.get(entry.path);
		if (known !== undefined) return known;
		const max = this.#capacity;
		if (this.#bytes + entry.size > max) {
			throw new PackageError(
				"PACKAGE_CAPACITY",
				`Inspecting this package needs more than ${max} bytes for FLOW.md, schemas and descriptors; ${quoteForDisplay(entry.path)} alone has ${entry.size}. Raise capacityBytes to inspect it.`,
				{ path: entry.path, limit: { name: "capacityBytes", max } },
			);
		}
		this.#bytes += entry.size;
		const bytes = await collectEntry(this.#source, entry, this.#stop);
		this.files.set(entry.path, bytes);
		return bytes;
	}
}

/** The beginning of a file, put together from whatever chunks it comes in. */
class FirstBytes {
	readonly #bytes: Uint8Array;
	#length = 0;

	constructor(max: number) {
		this.#bytes = new Uint8Array(max);
	}

	see(chunk: Uint8Array): void {
		const part = chunk.subarray(0, this.#bytes.length - this.#length);
		this.#bytes.set(part, this.#length);
		this.#length += part.length;
	}

	bytes(): Uint8Array {
		return this.#bytes.subarray(0, this.#length);
	}
}

function withSelector(found: { path: string; suffix: string }, firstLine: Uint8Array): Entrypoint {
	const selector = readSelector(firstLine, found.path);
	return Object.freeze(selector === undefined ? found : { ...found, selector });
}

async function readSchemas(
	files: ReadonlyMap<string, PackageEntry>,
	hold: (entry: PackageEntry) => Promise<Uint8Array>,
): Promise<PackageSchemas> {
	const schemas: { -readonly [Name in keyof PackageSchemas]: PackageSchemas[Name] } = {};
	for (const name of ["input", "settings", "result"] as const) {
		const entry = files.get(`${name}.schema.json`);
		if (entry === undefined) continue;
		// Too long is too long without reading it: any bytes of that length are refused before they are parsed.
		const tooLong = entry.size > SCHEMA_LIMITS.bytes;
		schemas[name] = compileFile(entry.path, tooLong ? new Uint8Array(SCHEMA_LIMITS.bytes + 1) : await hold(entry));
	}
	return Object.freeze(schemas);
}

function compileFile(path: string, bytes: Uint8Array): Schema {
	try {
		return compileSchema(bytes);
	} catch (error) {
		if (!(error instanceof SchemaError)) throw error;
		throw new PackageError("PACKAGE_SCHEMA_INVALID", `${path}: ${error.message}`, {
			path,
			pointer: error.schemaPointer,
			cause: error,
		});
	}
}

function resolveUses({ uses }: Metadata, { capabilities }: PackageContracts): Map<string, ResolvedUse> {
	const resolved = new Map<string, ResolvedUse>();
	for (const [slot, use] of uses) {
		const entry = "local" in use ? use : { contract: capabilities.get(use.contract)!, path: use.contract };
		resolved.set(slot, Object.freeze(entry));
	}
	return resolved;
}

function resolveChannels({ channels }: Metadata, contracts: PackageContracts): Map<string, ResolvedChannel> {
	const resolved = new Map<string, ResolvedChannel>();
	for (const [name, port] of channels) {
		const contract = port.contract === undefined ? undefined : contracts.channels.get(port.contract);
		resolved.set(name, contract === undefined ? port : Object.freeze({ ...port, contractIdentity: contract.identity }));
	}
	return resolved;
}
