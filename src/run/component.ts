import type { CapabilityCall, ChildCall, ComponentPort, Failure, RunResult, Session, Settlement } from "./ports.ts";

/** The component's side of one Run/1 channel. */
export declare class ComponentSession implements Session {
	constructor(port: ComponentPort);
	receive(chunk: Uint8Array): void;
	inputEnded(): void;
	readFailed(error?: unknown): void;
	takeFrame(): Uint8Array | undefined;
	written(): void;
	writeFailed(error?: unknown): void;
	call(call: ChildCall | CapabilityCall, settle: (settlement: Settlement) => void): { cancel(): void };
	finish(end: RunResult | { readonly failure: Failure }): void;
}
