import type { Entrypoint, PackageSource } from "../package/index.ts";
import type { Transport } from "../run/index.ts";
import type { Sha256Factory } from "../sha256.ts";
import type { AbortSignal } from "../web.ts";
import type { HostCode } from "./errors.ts";

/**
 * The ports through which the host reaches an environment: files, processes, clocks. An adapter implements
 * {@link HostRuntime}; nothing else in this room knows where it runs.
 */

/** How much a view may do (Run/1 section 3). */
export type Access = "read" | "read-write";

/** Options of {@link HostRuntime.stage}. */
export interface StageOptions {
	/** Aborting stops the copy; the stage removes what it made and rejects with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	readonly onProgress?: ((progress: StageProgress) => void) | undefined;
}

/** Files and bytes copied so far, of how many. */
export interface StageProgress {
	readonly files: number;
	readonly totalFiles: number;
	readonly bytes: number;
	readonly totalBytes: number;
}

/** The private copy of one package: the bytes that are hashed and the bytes that run (Package/1 section 1). */
export interface StagedPackage {
	readonly source: PackageSource;
	/** Native path of the tree's root, for launchers and messages. */
	readonly root: string;
	/**
	 * Proves before a launch that the stage still holds the bytes that were hashed; rejects with a `HostError`
	 * `PACKAGE_STAGE_CHANGED`. Aborting `signal` stops it, with the signal's reason: it reads the whole package. Absent where
	 * nobody else can write to the stage.
	 */
	verify?(signal?: AbortSignal): Promise<void>;
	/** Removes the stage. Called once, after the last Run from it has ended. */
	dispose(): Promise<void>;
}

/** Whether this environment can execute an entrypoint, asked before anything starts. */
export type LauncherChoice =
	| { readonly ok: true; readonly description: string }
	| {
			readonly ok: false;
			readonly code: Extract<HostCode, "RUNTIME_UNSUPPORTED" | "SELECTOR_UNSUPPORTED">;
			readonly message: string;
	  };

export interface LaunchRequest {
	readonly staged: StagedPackage;
	readonly entrypoint: Entrypoint;
	/** The Run's private scratch root: working directory, HOME and TMPDIR of the component. */
	readonly scratch: string;
	/** Aborts an activation that is still under way; the launcher leaves no process behind. */
	readonly signal?: AbortSignal | undefined;
}

/** How a process ended. All null: nobody can tell (`error` says why). */
export interface ExitEvidence {
	readonly exitCode: number | null;
	readonly signal: string | null;
	readonly error?: unknown;
}

/** Receives a component's diagnostics. `ended` comes once, last, also when the pipe failed. */
export interface StderrSink {
	chunk(bytes: Uint8Array): void;
	ended(): void;
}

/** One running component. None of its methods throws; none of its promises rejects. */
export interface ComponentProcess {
	/** Its stdin and stdout. Bytes that come before `listen` are kept. */
	readonly transport: Transport;
	/** Its diagnostics. Bytes that come before `listen` are kept. */
	readonly stderr: { listen(sink: StderrSink): void };
	/** Settles when the process itself has ended, whoever still holds its pipes. */
	readonly exited: Promise<ExitEvidence>;
	/** Asks the whole group to end (SIGTERM or the like). Harmless when it is gone. */
	terminate(): void;
	/** Ends the whole group (SIGKILL or the like). Harmless when it is gone. */
	kill(): void;
	/**
	 * Kills what is left of the group, waits at most `timeoutMs` until the group is gone and every pipe has ended, then
	 * closes our ends whatever came of it. `gone: false` names what stayed (`detail`: "a descendant holds stdout").
	 */
	fence(timeoutMs: number): Promise<{ readonly gone: boolean; readonly detail?: string | undefined }>;
	/** The executable that was started, for messages. */
	readonly description: string;
}

/** Starts a component, as {@link HostRuntime.launch} does. */
export type Launch = (request: LaunchRequest) => Promise<ComponentProcess>;

/** A private writable directory of one Run. */
export interface ScratchDirectory {
	readonly path: string;
	/** Removes it and everything in it. */
	dispose(): Promise<void>;
}

export interface AttachmentSource {
	/** Native path of the root that is shown to the component. */
	readonly path: string;
	/** Default `read`. Never more than `FLOW.md` declares. */
	readonly access?: Access | undefined;
	/** Says that a `read-write` root may be handed over where no sandbox holds the component to it. */
	readonly trusted?: boolean | undefined;
}

export interface AttachRequest {
	readonly name: string;
	readonly source: AttachmentSource;
	/** The access granted, already checked against the declaration. */
	readonly access: Access;
	readonly signal?: AbortSignal | undefined;
}

/** One prepared view: `read` is a private copy or a sandboxed mount, `read-write` the root itself. */
export interface AttachedRoot {
	readonly path: string;
	readonly access: Access;
	dispose(): Promise<void>;
}

/** What the host needs from its environment. */
export interface HostRuntime {
	/** Copies `source` (a `PackageSource`, or a source of the adapter's own) into a private stage. */
	stage(source: unknown, options: StageOptions): Promise<StagedPackage>;
	launcherFor(entrypoint: Entrypoint): LauncherChoice;
	/** Starts the component. Rejects with a `HostError` `LAUNCH_FAILED` of phase `activation`, and leaves nothing running then. */
	launch(request: LaunchRequest): Promise<ComponentProcess>;
	scratch(): Promise<ScratchDirectory>;
	/** Rejects with a `HostError` `ATTACHMENT_ACCESS` or `ATTACHMENT_FAILED`. */
	attach(request: AttachRequest): Promise<AttachedRoot>;
	/** Unix time in milliseconds; fixes `deadlineUnixMs` and nothing else. */
	now(): number;
	/** Milliseconds on a clock that never jumps, from any origin: durations and remaining time. */
	monotonic(): number;
	/**
	 * Calls `run` once after `ms` milliseconds on that clock, never synchronously, re-armed beyond 2^31-1 ms. The answer
	 * cancels it. A pending schedule keeps the program alive no longer than the Run it belongs to.
	 */
	schedule(ms: number, run: () => void): () => void;
	readonly sha256: Sha256Factory;
}
