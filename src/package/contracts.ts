/** The contracts a package carries: found, read once each, free of equivocation (Package/1 section 2, Capability Contract/1 section 4). */

import {
	type CapabilityContract,
	type ChannelContract,
	CONTRACT_LIMITS,
	ContractError,
	type ContractIdentity,
	findEquivocation,
	parseCapabilityContract,
	parseChannelContract,
} from "../contract/index.ts";
import { quoteForDisplay } from "../display.ts";
import { pathCollisionKey } from "../grammar/index.ts";
import type { Sha256Factory } from "../sha256.ts";
import { PackageError } from "./error.ts";
import { FLOW_MD } from "./frontmatter.ts";
import type { MetadataReference } from "./metadata.ts";
import type { PackageEntry } from "./source.ts";

/** The descriptors of a package by their paths. */
export interface PackageContracts {
	readonly capabilities: ReadonlyMap<string, CapabilityContract>;
	/** Those that FLOW.md's ports name, and those that capability methods name. */
	readonly channels: ReadonlyMap<string, ChannelContract>;
}

/** Where contracts come from: the admitted files by path, and a way to hold one file's bytes. */
export interface ContractSource {
	readonly files: ReadonlyMap<string, PackageEntry>;
	readonly hold: (entry: PackageEntry) => Promise<Uint8Array>;
	readonly sha256: Sha256Factory | undefined;
}

/**
 * Reads every contract that FLOW.md references, and every channel contract that a referenced capability references in turn
 * (from the package root, C7); optional ports' contracts too. One path is read once per kind.
 *
 * Throws `PackageError`: `PACKAGE_REFERENCE_MISSING`, `PACKAGE_CONTRACT_INVALID`, `PACKAGE_EQUIVOCATION`.
 */
export async function readContracts(
	references: readonly MetadataReference[],
	source: ContractSource,
): Promise<PackageContracts> {
	const capabilities = new Map<string, CapabilityContract>();
	const channels = new Map<string, ChannelContract>();
	const readChannel = async (path: string, place: ReferencePlace): Promise<void> => {
		if (!channels.has(path)) channels.set(path, await readContract(path, place, source, parseChannelContract));
	};
	for (const reference of references) {
		const { path, pointer, line, column } = reference;
		const place = { path: FLOW_MD, pointer, line, column };
		if (reference.kind === "channel") await readChannel(path, place);
		else if (!capabilities.has(path)) {
			const contract = await readContract(path, place, source, parseCapabilityContract);
			capabilities.set(path, contract);
			for (const channel of contract.references) await readChannel(channel, { path });
		}
	}
	// The package is the one authority here: what it says itself must not contradict itself.
	checkEquivocation(capabilities);
	checkEquivocation(channels);
	return { capabilities, channels };
}

/** Where a reference stands: in FLOW.md, or in a descriptor. */
interface ReferencePlace {
	readonly path: string;
	readonly pointer?: string;
	readonly line?: number;
	readonly column?: number;
}

async function readContract<T>(
	path: string,
	place: ReferencePlace,
	{ files, hold, sha256 }: ContractSource,
	parse: (bytes: Uint8Array, options: { sha256?: Sha256Factory }) => T,
): Promise<T> {
	const entry = files.get(path);
	if (entry === undefined) throw missing(path, place, files);
	// Too long is too long without reading it: any bytes of that length are refused before they are parsed.
	const tooLong = entry.size > CONTRACT_LIMITS.bytes;
	const bytes = tooLong ? new Uint8Array(CONTRACT_LIMITS.bytes + 1) : await hold(entry);
	try {
		return parse(bytes, sha256 === undefined ? {} : { sha256 });
	} catch (error) {
		if (!(error instanceof ContractError)) throw error;
		throw new PackageError("PACKAGE_CONTRACT_INVALID", `${quoteForDisplay(path)}: ${error.message}`, {
			path,
			pointer: error.pointer,
			cause: error,
		});
	}
}

function missing(path: string, place: ReferencePlace, files: ReadonlyMap<string, PackageEntry>): PackageError {
	const key = pathCollisionKey(path);
	let hint = "";
	for (const other of files.keys()) {
		if (pathCollisionKey(other) === key) hint = ` It has ${quoteForDisplay(other)}: references are case-sensitive.`;
	}
	const { path: from, line, column, pointer } = place;
	const where = line === undefined ? quoteForDisplay(from) : `${from} line ${line}, column ${column}`;
	return new PackageError(
		"PACKAGE_REFERENCE_MISSING",
		`${where} names ${quoteForDisplay(path)}, which is no file of the package.${hint}`,
		{
			path: from,
			otherPath: path,
			...(line === undefined ? {} : { line }),
			...(column === undefined ? {} : { column }),
			...(pointer === undefined ? {} : { pointer }),
		},
	);
}

function checkEquivocation(contracts: ReadonlyMap<string, { readonly identity: ContractIdentity }>): void {
	const paths = new Map<ContractIdentity, string>();
	for (const [path, { identity }] of contracts) paths.set(identity, path);
	const found = findEquivocation(paths.keys())[0];
	if (found === undefined) return;
	const [path, otherPath] = [paths.get(found.first)!, paths.get(found.second)!];
	throw new PackageError(
		"PACKAGE_EQUIVOCATION",
		`${quoteForDisplay(path)} and ${quoteForDisplay(otherPath)} both claim ${found.id} ${found.version} and differ: ${found.first.digest} and ${found.second.digest}.`,
		{ path, otherPath },
	);
}
