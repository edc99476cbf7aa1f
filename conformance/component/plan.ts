import type { CaseKind, Clause, RequiredItem } from "../corpus.ts";
import type { Fields } from "../data.ts";

/** What the host does or awaits next: an object whose first member is the verb (COMPONENT.md, Scripts). */
export type HostStep = Fields;

/** One case of the component kit. */
export interface ComponentCase {
	/** Unique in the kit: `suite/name`. */
	readonly name: string;
	readonly clause: string;
	readonly kind: CaseKind;
	/** Why another behaviour would be defensible too; such a case is told, never failed. */
	readonly ambiguous?: string;
	/** Takes much time or memory: only with `--long`. */
	readonly long?: true;
	/** The scenario that the component plays (COMPONENT.md, Scenarios). */
	readonly steps?: readonly Fields[];
	/** Members of the params of `flow/run` in place of the usual ones. */
	readonly root?: Fields;
	/** The script has no `run` at all. */
	readonly rootless?: true;
	/** Begins with `run`, unless it says where that comes. */
	readonly script: readonly HostStep[];
	/** Its exit code, once it has ended by itself: 0 unless said. */
	readonly exit?: 0 | "nonzero" | "any";
}

/** A file of cases. */
export interface ComponentSuite {
	readonly suite: string;
	/** Values that cases of this file share, used as `{"$use": name}`. */
	readonly shared?: Fields;
	readonly clauses: readonly Clause[];
	readonly required?: readonly RequiredItem[];
	readonly cases: readonly ComponentCase[];
}
