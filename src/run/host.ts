import type { HostSessionLimits } from "./limits.ts";
import type { ExitEvidence, HostPort, RootInvocation, RunConclusion, Session } from "./ports.ts";

/** The host's side of one Run/1 channel. */
export declare class HostSession implements Session {
	constructor(root: RootInvocation, port: HostPort, limits?: Partial<HostSessionLimits>);
	receive(chunk: Uint8Array): void;
	inputEnded(): void;
	readFailed(error?: unknown): void;
	takeFrame(): Uint8Array | undefined;
	written(): void;
	writeFailed(error?: unknown): void;
	start(): void;
	cancel(): void;
	expire(): void;
	exhaust(message: string): void;
	/** Operations whose work has not settled. */
	get unsettled(): number;
	exited(evidence: ExitEvidence): RunConclusion;
}
