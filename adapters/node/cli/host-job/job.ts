import type { ContractIdentity } from "../../../../src/contract/index.ts";
import type { JsonObject, JsonValue } from "../../../../src/json/index.ts";

/** What one invocation is given: HOST.md, The job. */
export interface JobContext {
	readonly settings: JsonObject;
	readonly attachments: Readonly<Record<string, { readonly path: string; readonly access: "read" | "read-write" }>>;
	readonly children: Readonly<Record<string, JobContext & { readonly package: string }>>;
	readonly capabilities: Readonly<Record<string, JobProvider>>;
}

export interface JobProvider {
	readonly contract?: ContractIdentity;
	readonly answers: readonly JobAnswer[];
}

/** One canned answer; the first one that fits a call is given. */
export interface JobAnswer {
	readonly method?: string;
	readonly operationId?: string;
	/** Makes this file once it is asked. */
	readonly makesFile?: string;
	/** Waits so long, and until this file is there. */
	readonly delayMs?: number;
	readonly afterFile?: string;
	readonly value?: JsonValue;
	readonly error?: { readonly name: string; readonly data: JsonValue };
	readonly failure?: { readonly code: string; readonly message: string; readonly details?: JsonValue };
	/** Given as it is, however wrong. */
	readonly raw?: JsonValue;
	readonly echo?: true;
	readonly crash?: true;
	/** Reads this port to its end before it answers. */
	readonly receive?: string;
	/** Writes these items to a port before it answers. */
	readonly send?: { readonly to: string; readonly items: readonly JsonValue[] };
}

export interface Job extends JobContext {
	readonly package: string;
	readonly input: JsonValue;
	readonly deadlineMs: number;
	readonly cancel?: { readonly afterFile?: string; readonly afterMs?: number };
	/** By root port: items for one that receives, `receive` for one that sends. */
	readonly channels?: Readonly<Record<string, { readonly items: readonly JsonValue[] } | { readonly receive: true }>>;
	readonly limits?: Readonly<Record<string, number>>;
}
