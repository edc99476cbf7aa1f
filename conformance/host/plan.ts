import type { CaseKind, Clause, RequiredItem } from "../corpus.ts";
import type { Fields } from "../data.ts";

/** One step of a component's script: an object whose first member is the verb (HOST.md, Steps). */
export type Step = Fields;

/** A package of a case, before it is written. */
export interface PackagePlan {
	/** Members of `FLOW.md` beside `name` and `description`. */
	readonly declares?: Fields;
	/** More files: a string is a file's text, anything else is written as JSON. */
	readonly files?: Fields;
	/** What the component does; absent where the package has no implementation. */
	readonly steps?: readonly Step[];
	/** The name of the implementation's file, in place of `flow.mjs` or `flow.py`. */
	readonly entry?: string;
	/** Leaves answers out of the log: for components that ask thousands of times. */
	readonly lean?: boolean;
}

/** What a package is given by the job: packages are named by their plan's name, contracts by a file of a package. */
export interface ContextPlan {
	readonly settings?: unknown;
	/** Attachment name to access; the kit makes a directory with the one file `content`. */
	readonly attachments?: { readonly [name: string]: "read" | "read-write" };
	readonly children?: { readonly [slot: string]: ContextPlan & { readonly package: string } };
	readonly capabilities?: { readonly [slot: string]: ProviderPlan };
}

export interface ProviderPlan {
	/** The contract it claims: the descriptor in a file of the package that is run, with members changed by `as`. */
	readonly contract?: { readonly of: string; readonly as?: Fields };
	readonly answers: readonly Fields[];
}

export interface JobPlan extends ContextPlan {
	readonly input?: unknown;
	readonly deadlineMs?: number;
	/** `afterMark`: once a component has made this mark. */
	readonly cancel?: { readonly afterMark: string } | { readonly afterMs: number };
	readonly channels?: { readonly [name: string]: Fields };
	readonly limits?: { readonly [name: string]: number };
}

/** One way a Run may end. Codes are compared only where Run/1 names them. */
export type Ending =
	| { readonly accepted: true; readonly output?: unknown; readonly outcome?: string }
	/** `codes` absent: any; `started: false`: before a process of the package that is run existed. */
	| { readonly refused: true | string | readonly string[]; readonly started?: boolean };

/** One case of the host kit. */
export interface HostCase extends PackagePlan {
	/** Unique in the kit: `suite/name`. */
	readonly name: string;
	readonly clause: string;
	readonly kind: CaseKind;
	/** Why another behaviour would be defensible too. */
	readonly ambiguous?: string;
	/** Takes minutes or much memory: only with `--long`. */
	readonly long?: true;
	/** Further packages by name; the one that is run is `root`, described by the case itself. */
	readonly packages?: { readonly [name: string]: PackagePlan };
	readonly job?: JobPlan;
	/** One ending, or several that the text leaves room for. */
	readonly expect: Ending | readonly Ending[];
	/** What the components saw, by `id`, `package/id` or a pseudo id (HOST.md, Evidence). */
	readonly sees?: { readonly [what: string]: unknown };
	/** How often a package was started. */
	readonly starts?: { readonly [name: string]: number };
	/** What the adapter reports besides, as patterns. */
	readonly calls?: unknown;
	readonly channels?: unknown;
	/** Milliseconds within which the whole Run must have ended; generous. */
	readonly withinMs?: number;
	/** A process may be left: it is out of every host's reach. */
	readonly leaves?: true;
}

/** A file of cases. */
export interface HostSuite {
	readonly suite: string;
	/** Plans, contracts and other values that cases of this file share, used as `{"$use": name}`. */
	readonly shared?: Fields;
	readonly clauses: readonly Clause[];
	readonly required?: readonly RequiredItem[];
	readonly cases: readonly HostCase[];
}
