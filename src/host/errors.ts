import { escapeForDisplay } from "../display.ts";
import type { JsonValue } from "../json/index.ts";
import type { RunCode } from "../run/index.ts";
import type { Digest } from "../sha256.ts";

/** Where in the way from a package to an accepted result something went wrong. */
export type Phase = "package" | "activation" | "run" | "acceptance" | "cleanup";

/**
 * What this host can refuse or fail at outside Run/1 (section 7: failures before a channel exists are not Run/1 errors).
 *
 * | code | phase | meaning |
 * | --- | --- | --- |
 * | `PACKAGE_STAGE_FAILED` | package | the source could not be copied into a private stage |
 * | `PACKAGE_DIGEST_MISMATCH` | package | the staged tree is not the one that was expected |
 * | `PACKAGE_STAGE_CHANGED` | package | the stage no longer holds the bytes that were hashed |
 * | `PACKAGE_DISPOSED` | package | the loaded package was disposed before or while it was asked to run |
 * | `PACKAGE_INSTRUCTIONS_ONLY` | package | there is no `flow.<suffix>`: instructions can't be executed |
 * | `INVALID_SETTINGS` | activation | settings broke `settings.schema.json`, or were given where there is none |
 * | `RUNTIME_UNSUPPORTED` | activation | no launcher for this suffix |
 * | `SELECTOR_UNSUPPORTED` | activation | no launcher for this `#!/usr/bin/env` selector |
 * | `ATTACHMENT_MISSING` | activation | a declared attachment was not given |
 * | `ATTACHMENT_UNDECLARED` | activation | an attachment was given that `FLOW.md` doesn't declare |
 * | `ATTACHMENT_ACCESS` | activation | more access than declared, or read-write without a sandbox and without trust |
 * | `ATTACHMENT_FAILED` | activation | the attachment's root could not be prepared |
 * | `CHANNEL_UNCONNECTED` | activation | a required root channel has no endpoint |
 * | `CHANNEL_UNDECLARED` | activation | a channel was connected that `FLOW.md` doesn't declare |
 * | `SLOT_UNDECLARED` | activation | a provider was bound to a slot that `FLOW.md` doesn't declare |
 * | `PROVIDER_MISMATCH` | activation | a provider's contract isn't the exact one the slot names |
 * | `SCRATCH_FAILED` | activation | the private scratch directory could not be made |
 * | `LAUNCH_FAILED` | activation | the component's process could not be started |
 * | `OPERATION_KEY_MISMATCH` | activation | the key of the operations is bound to another package, input or settings |
 * | `OPERATION_KEY_SUPERSEDED` | run | another host has claimed the key, or it was deleted |
 * | `OPERATION_STORE_BUSY` | activation | others held the store for longer than its busy timeout |
 * | `OPERATION_STORE_FULL` | activation | the store has no room for another key |
 * | `OPERATION_STORE_FAILED` | activation | the store could not be opened, read or written |
 * | `OPERATION_STORE_FOREIGN` | activation | the file is no operation store |
 * | `OPERATION_STORE_NEWER` | activation | the file was made by a newer version |
 * | `OPERATION_STORE_UNSUPPORTED` | activation | there is no SQLite to open it with; the message says what to install |
 * | `CLEANUP_FAILED` | cleanup | scratch, an attachment or the component could not be removed |
 */
export type HostCode =
	| "PACKAGE_STAGE_FAILED"
	| "PACKAGE_DIGEST_MISMATCH"
	| "PACKAGE_STAGE_CHANGED"
	| "PACKAGE_DISPOSED"
	| "PACKAGE_INSTRUCTIONS_ONLY"
	| "INVALID_SETTINGS"
	| "RUNTIME_UNSUPPORTED"
	| "SELECTOR_UNSUPPORTED"
	| "ATTACHMENT_MISSING"
	| "ATTACHMENT_UNDECLARED"
	| "ATTACHMENT_ACCESS"
	| "ATTACHMENT_FAILED"
	| "CHANNEL_UNCONNECTED"
	| "CHANNEL_UNDECLARED"
	| "SLOT_UNDECLARED"
	| "PROVIDER_MISMATCH"
	| "SCRATCH_FAILED"
	| "LAUNCH_FAILED"
	| "OPERATION_KEY_MISMATCH"
	| "OPERATION_KEY_SUPERSEDED"
	| "OPERATION_STORE_BUSY"
	| "OPERATION_STORE_FULL"
	| "OPERATION_STORE_FAILED"
	| "OPERATION_STORE_FOREIGN"
	| "OPERATION_STORE_NEWER"
	| "OPERATION_STORE_UNSUPPORTED"
	| "CLEANUP_FAILED";

/** Every code a {@link HostError} carries: this host's own, Run/1's, or the code of the package's own fault (`PACKAGE_*`). */
export type FailureCode = HostCode | RunCode | `PACKAGE_${string}`;

/** What a {@link HostError} says beside its message. */
export interface HostErrorFields {
	readonly code: FailureCode;
	readonly phase: Phase;
	readonly details?: JsonValue | undefined;
	readonly cause?: unknown;
}

/** A refusal or failure of the host: `phase` says where, `code` what; `details` is data, never a rejected value. */
export class HostError extends Error {
	override readonly name: string = "HostError";
	readonly code: FailureCode;
	readonly phase: Phase;
	declare readonly details?: JsonValue;

	constructor(message: string, fields: HostErrorFields) {
		super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
		this.code = fields.code;
		this.phase = fields.phase;
		if (fields.details !== undefined) this.details = fields.details;
	}
}

/** The last bytes a component wrote to stderr, decoded forgivingly; `bytes` counts all of them. */
export interface StderrTail {
	readonly text: string;
	readonly bytes: number;
	readonly truncated: boolean;
}

/** What a {@link RunFailure} adds to a {@link HostError}. */
export interface RunFailureFields extends HostErrorFields {
	readonly digest: Digest;
	readonly durationMs: number;
	readonly stderr: StderrTail;
	readonly result?: { readonly outcome: string; readonly output: JsonValue } | undefined;
}

/**
 * Why a Run has no accepted result. `result` is present only with phase `cleanup`: the component's result was
 * acceptable, and what failed came after it.
 */
export class RunFailure extends HostError {
	override readonly name: string = "RunFailure";
	readonly digest: Digest;
	readonly durationMs: number;
	readonly stderr: StderrTail;
	declare readonly result?: { readonly outcome: string; readonly output: JsonValue };

	constructor(message: string, fields: RunFailureFields) {
		super(message, fields);
		this.digest = fields.digest;
		this.durationMs = fields.durationMs;
		this.stderr = fields.stderr;
		if (fields.result !== undefined) this.result = fields.result;
	}
}

/** What was thrown below the host, as the end of one of its sentences. */
export function saying(thrown: unknown): string {
	return escapeForDisplay(thrown instanceof Error ? thrown.message : String(thrown));
}
