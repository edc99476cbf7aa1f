import type { PackageSnapshot } from "../package/index.ts";
import type { RunHandler } from "../sdk/index.ts";
import type { Digest } from "../sha256.ts";
import { HostError } from "./errors.ts";
import type { Launch, StagedPackage } from "./ports.ts";

/** The member behind `await using` where the user's library has it, nothing elsewhere. @inline */
type AsyncDisposal = typeof globalThis extends { AsyncDisposableStack: { prototype: infer Stack } }
	? Pick<Stack, Exclude<Extract<keyof Stack, symbol>, typeof Symbol.toStringTag>>
	: object;

/** @inline */
interface Loaded {
	readonly digest: Digest;
	readonly snapshot: PackageSnapshot;
	/**
	 * Refuses further Runs and removes the private copy after the last Run from it has ended. Repeated calls join.
	 * Rejects with what the removal failed with.
	 */
	dispose(): Promise<void>;
}

/** A package that was staged, inspected and digested: the bytes that were hashed are the bytes its Runs execute. */
export type LoadedPackage = Loaded & AsyncDisposal;

const STAGES = new WeakMap<object, Stage>();

/** The stage behind a loaded package, with the Runs that hold it. */
export class Stage {
	readonly staged: StagedPackage;
	readonly snapshot: PackageSnapshot;
	/** Runs in place of the package's entrypoint. */
	readonly handler: RunHandler | undefined;
	/** Starts its components in place of the runtime's launcher. */
	readonly launch: Launch | undefined;
	#users = 0;
	#disposal: Promise<void> | undefined;
	#idle: (() => void) | undefined;

	constructor(
		staged: StagedPackage,
		snapshot: PackageSnapshot,
		handler: RunHandler | undefined,
		launch: Launch | undefined,
	) {
		this.staged = staged;
		this.snapshot = snapshot;
		this.handler = handler;
		this.launch = launch;
	}

	/** Keeps the stage until the answer is called. Throws `PACKAGE_DISPOSED` once `dispose` was asked for. */
	hold(): () => void {
		if (this.#disposal !== undefined) {
			throw new HostError("The package was disposed; load it again.", { code: "PACKAGE_DISPOSED", phase: "package" });
		}
		this.#users += 1;
		let held = true;
		return () => {
			if (!held) return;
			held = false;
			this.#users -= 1;
			if (this.#users === 0) this.#idle?.();
		};
	}

	dispose(): Promise<void> {
		this.#disposal ??= this.#remove();
		return this.#disposal;
	}

	async #remove(): Promise<void> {
		if (this.#users > 0) {
			await new Promise<void>((resolve) => {
				this.#idle = resolve;
			});
		}
		await this.staged.dispose();
	}
}

/** Wraps a stage for its user. */
export function loadedPackage(stage: Stage): LoadedPackage {
	const loaded: Loaded = {
		digest: stage.snapshot.digest,
		snapshot: stage.snapshot,
		dispose: () => stage.dispose(),
	};
	const asyncDispose = (Symbol as { readonly asyncDispose?: symbol }).asyncDispose;
	if (asyncDispose !== undefined) Object.defineProperty(loaded, asyncDispose, { value: () => stage.dispose() });
	STAGES.set(loaded, stage);
	return Object.freeze(loaded) as LoadedPackage;
}

/** The stage of a loaded package, or undefined for any other value. */
export function stageOf(value: unknown): Stage | undefined {
	return typeof value === "object" && value !== null ? STAGES.get(value) : undefined;
}
