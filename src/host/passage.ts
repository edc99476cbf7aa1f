/** What goes down the corridor of a Run, and what comes out of it. */

import type { ChannelGrant, RunResult } from "../run/index.ts";
import type { Digest } from "../sha256.ts";
import type { Context } from "./admission.ts";
import type { ChannelRoom } from "./channels.ts";
import type { DurableRun } from "./durable.ts";
import type { HostError, HostErrorFields, StderrTail } from "./errors.ts";
import type { InvocationChannels } from "./invocation-channels.ts";
import type { HostLimits } from "./limits.ts";
import type { HostRuntime } from "./ports.ts";
import type { Deadline, Stop } from "./stop.ts";
import type { HostEvent } from "./trace.ts";

/** What a root Run shares with every child below it. */
export interface Tree {
	readonly runtime: HostRuntime;
	readonly limits: HostLimits;
	readonly deadline: Deadline;
	/** Where operations are kept beyond the Run, if they are. */
	readonly durable: DurableRun | undefined;
	readonly channels: ChannelRoom;
	/** Child packages that run now, at any depth. */
	running: number;
	readonly observed: () => boolean;
	note(path: readonly string[], digest: Digest, event: HostEvent): void;
}

/** One invocation on its way, root or child. */
export interface Passage {
	readonly tree: Tree;
	readonly context: Context;
	readonly input: unknown;
	readonly channels: InvocationChannels;
	/** The ports of FLOW.md that are connected. */
	readonly ports: readonly string[];
	/** Their endpoints; where the host's bounds are in the way, why. Once. */
	connect(): Readonly<Record<string, ChannelGrant>> | HostError;
	/** Operation ids from the root to here. */
	readonly path: readonly string[];
	readonly stop: Stop;
	/** Everything is ready: the component is about to be launched. */
	launching?(): void;
	stderr(bytes: Uint8Array): void;
}

/** Why there is no accepted result. */
export interface Failed extends HostErrorFields {
	readonly message: string;
}

/** How one invocation ended. */
export interface Ending {
	/** An acceptable result, also where what came after it failed. */
	readonly result?: RunResult;
	readonly failure?: Failed;
	/** The component itself answered with this failure. */
	readonly answered: boolean;
	/** The component is proven gone. */
	readonly gone: boolean;
	/** Work that it had started may still have effects. */
	readonly doubt: boolean;
	/** Nothing was left behind, by it or below it. */
	readonly clean: boolean;
	readonly stderr: StderrTail;
}

const NO_STDERR: StderrTail = { text: "", bytes: 0, truncated: false };

/** The ending of an invocation whose component was never spoken to. */
export function refused({ code, phase, message, details, cause }: HostError): Ending {
	const found: Failed = { code, phase, message, details, cause };
	return { failure: found, answered: false, gone: true, doubt: false, clean: true, stderr: NO_STDERR };
}
