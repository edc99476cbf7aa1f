import {
	type ChannelContract,
	type ChannelDeclaration,
	CONTRACT_LIMITS,
	ContractError,
	parseChannelContract,
} from "../contract/index.ts";
import { checkReference, PathError } from "../grammar/index.ts";
import type { Failure, PortTerms } from "../run/index.ts";
import type { Sha256Factory } from "../sha256.ts";
import type { ReadableStreamLike } from "../web.ts";
import type { Stage } from "./loaded.ts";

/** What declared ports demand, their contracts resolved within the package that declares them (Channel Contract/1 section 1). */
export function portTerms(
	declarations: ReadonlyMap<string, ChannelDeclaration>,
	contracts: ReadonlyMap<string, ChannelContract>,
): ReadonlyMap<string, PortTerms> {
	const terms = new Map<string, PortTerms>();
	for (const [name, { direction, required, delivery, start, schema, contract }] of declarations) {
		const named = contract === undefined ? undefined : contracts.get(contract);
		terms.set(name, {
			direction,
			required,
			delivery,
			start: start ?? "beginning",
			schema: named?.item ?? schema,
			contract: named?.identity,
		});
	}
	return terms;
}

/**
 * The channel contracts that one invocation may create channels by: those of its own package, whether or not FLOW.md names
 * them (Run/1 section 5.1). What can't be resolved is `INVALID_INPUT`.
 */
export class PackageContracts {
	readonly #stage: Stage;
	readonly #sha256: Sha256Factory;
	/** Files are read one after the other: a component may ask for many at once. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(stage: Stage, sha256: Sha256Factory) {
		this.#stage = stage;
		this.#sha256 = sha256;
	}

	/** The contract where it was inspected with the package; else a promise, which never rejects. */
	resolve(reference: string): ChannelContract | Failure | Promise<ChannelContract | Failure> {
		let path: string;
		try {
			path = checkReference(reference);
		} catch (error) {
			if (!(error instanceof PathError)) throw error;
			return unresolvable("The contract's reference is not one that a package can have");
		}
		const { channelContracts, files } = this.#stage.snapshot;
		const known = channelContracts.get(path);
		if (known !== undefined) return known;
		const entry = files.find((file) => file.path === path);
		if (entry === undefined) return unresolvable("The package has no file that the contract's reference names");
		if (entry.size > CONTRACT_LIMITS.bytes) return unresolvable("The file is longer than a contract may be");
		const read = this.#last.then(() => this.#read(path));
		this.#last = read;
		return read;
	}

	async #read(path: string): Promise<ChannelContract | Failure> {
		let bytes: Uint8Array;
		try {
			bytes = await readAll(await this.#stage.staged.source.open(path));
		} catch {
			return unresolvable("The contract's file can't be read");
		}
		try {
			return parseChannelContract(bytes, { sha256: this.#sha256 });
		} catch (error) {
			if (!(error instanceof ContractError)) throw error;
			return unresolvable("The file is no channel contract");
		}
	}
}

function unresolvable(why: string): Failure {
	return { code: "INVALID_INPUT", message: `${why}: nothing was created.` };
}

/** The whole of a small file; no further than one byte beyond what a contract may have. */
async function readAll(stream: ReadableStreamLike<Uint8Array>): Promise<Uint8Array> {
	const reader = stream.getReader();
	const bytes = new Uint8Array(CONTRACT_LIMITS.bytes + 1);
	let length = 0;
	for (;;) {
		const step = await reader.read();
		if (step.done) return bytes.slice(0, length);
		const taken = step.value.subarray(0, bytes.length - length);
		bytes.set(taken, length);
		length += taken.length;
		if (length < bytes.length) continue;
		await reader.cancel();
		return bytes;
	}
}
