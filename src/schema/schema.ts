/** A compiled schema: evaluate, accept, check, and the Standard Schema interface. */

import { admitJson, JsonError, type JsonValue, objectsInheritNames } from "../json/index.ts";
import { type Bound, boundOf, fits } from "./bound.ts";
import type { Meter, Test } from "./combine.ts";
import { contentOf, type SchemaSource } from "./content.ts";
import { type BoundaryCode, type Diagnostic, diagnose } from "./explain.ts";
import { Judge, type Profile } from "./judge.ts";
import { DIAGNOSTICS_MAX, SCHEMA_LIMITS } from "./limits.ts";
import { Location } from "./location.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";
import { type StandardProps, standardProps } from "./standard.ts";
import { testGraph } from "./tests.ts";

/** How to evaluate and what to report. */
export interface EvaluateOptions {
	/** Report up to 1,024 diagnostics instead of the first. */
	readonly all?: boolean;
	/** Report work units by keyword. */
	readonly profile?: boolean;
	/** The boundary that diagnostics name; `INVALID_INPUT` unless given. */
	readonly code?: BoundaryCode;
}

/** What an evaluation found. */
export interface Verdict {
	readonly valid: boolean;
	/** Exact work units (Schema/1 section 4), at most 1,000,000. */
	readonly work: number;
	/** Empty when valid; else the first, or all that were asked for. */
	readonly diagnostics: readonly Diagnostic[];
	/**
	 * With `profile`: the units of `work` by keyword, those of the pairs under `pair`. A string's length is charged to
	 * `minLength`, or to `maxLength` where that is the only bound; a branch that `if` selects to `if`.
	 */
	readonly profile?: Profile;
}

/** What a check of a host value found. */
export type Checked =
	| { readonly valid: true; readonly value: JsonValue }
	| { readonly valid: false; readonly diagnostics: readonly Diagnostic[] };

/** A compiled Schema/1 schema. Immutable; one object serves any number of evaluations. */
export interface Schema {
	/** Schema nodes compiled together: of the file, or of the whole embedded graph. */
	readonly nodes: number;
	/** The longest path of schemas among them. */
	readonly depth: number;
	/**
	 * Evaluates an admitted value (from `parseJson` or `admitJson`) and meters it exactly. Throws `SchemaError`
	 * `SCHEMA_LIMIT_EXCEEDED` when the charge crosses 1,000,000 units, whatever the verdict would be.
	 */
	evaluate(instance: JsonValue, options?: EvaluateOptions): Verdict;
	/**
	 * The verdict alone, by the shortest way: where the size of the instance proves that the budget can't be exhausted,
	 * nothing is metered and the first failure ends it. Throws as {@link Schema.evaluate} does.
	 */
	accepts(instance: JsonValue): boolean;
	/**
	 * Admits a host value and evaluates it; a valid one comes back as an isolated snapshot. A value outside JSON/1 fails with
	 * the boundary's code, at the part that has no place in JSON/1. Throws `SCHEMA_LIMIT_EXCEEDED` as
	 * {@link Schema.evaluate} does.
	 */
	check(value: unknown, options?: Pick<EvaluateOptions, "all" | "code">): Checked;
	/** Standard Schema v1, for form and API libraries. */
	readonly "~standard": StandardProps;
}

/** Schemas that were compiled together share their tests. */
export class Compiled {
	readonly graph: SchemaGraph;
	#tests: readonly Test[] | undefined;

	constructor(graph: SchemaGraph) {
		this.graph = graph;
	}

	/** By node id. */
	get tests(): readonly Test[] {
		this.#tests ??= testGraph(this.graph);
		return this.#tests;
	}
}

/**
 * The longest chain of schemas that may call one another. At two frames a link this is a tenth of the stack that any engine
 * gives, and ten times what people write; longer chains are metered, which needs no stack.
 */
const REACH = 256;

export class CompiledSchema implements Schema {
	readonly nodes: number;
	readonly depth: number;
	readonly "~standard": StandardProps;
	readonly #compiled: Compiled;
	readonly #root: SchemaNode;
	readonly #source: SchemaSource;
	#content: string | undefined;
	#bound: Bound | undefined;
	#test: Test | undefined;

	constructor(compiled: Compiled, root: SchemaNode, source: SchemaSource) {
		this.nodes = compiled.graph.nodes.length;
		this.depth = compiled.graph.depth;
		this["~standard"] = standardProps(this);
		this.#compiled = compiled;
		this.#root = root;
		this.#source = source;
	}

	evaluate(instance: JsonValue, options: EvaluateOptions = {}): Verdict {
		let valid: boolean;
		let measured: { work: number; profile?: Profile };
		const meter = options.profile === true ? undefined : this.#measure(instance);
		if (meter === undefined) {
			const judge = new Judge(this.#compiled.graph, { profile: options.profile === true });
			valid = judge.run(this.#root, instance) === null;
			const { work, profile } = judge;
			measured = profile === undefined ? { work } : { work, profile };
		} else {
			valid = meter.valid;
			measured = { work: meter.work };
		}
		return { valid, ...measured, diagnostics: valid ? [] : this.#diagnose(instance, options) };
	}

	accepts(instance: JsonValue): boolean {
		if (this.#isShort && !objectsInheritNames()) {
			const { plain } = this.#bounds;
			if (plain || this.#fits(instance)) {
				const meter: Meter = { work: 0, full: false, counts: undefined };
				const valid = this.#run(instance, meter, undefined);
				if (!plain || (meter.work <= SCHEMA_LIMITS.work && (valid || this.#fits(instance)))) return valid;
			}
		}
		return this.#measure(instance)?.valid ?? new Judge(this.#compiled.graph).run(this.#root, instance) === null;
	}

	check(value: unknown, options: Pick<EvaluateOptions, "all" | "code"> = {}): Checked {
		let admitted: JsonValue;
		try {
			admitted = admitJson(value);
		} catch (error) {
			if (!(error instanceof JsonError)) throw error;
			const code = options.code ?? "INVALID_INPUT";
			// A name with a surrogate without its pair must not make the diagnostic what the value is: no JSON/1.
			const instancePointer = (error.pointer ?? "").toWellFormed();
			return { valid: false, diagnostics: [{ code, instancePointer, schemaPointer: "", message: error.reason }] };
		}
		if (this.accepts(admitted)) return { valid: true, value: admitted };
		return { valid: false, diagnostics: this.#diagnose(admitted, options) };
	}

	/** The canonical content that channel matching compares. */
	get content(): string {
		this.#content ??= contentOf(this.#root, this.#compiled.graph, this.#source);
		return this.#content;
	}

	/** The verdict and the exact work; undefined where only the slower evaluation can tell, or say what exhausted the budget. */
	#measure(instance: JsonValue): { valid: boolean; work: number } | undefined {
		if (!this.#isShort || objectsInheritNames()) return undefined;
		const meter: Meter = { work: 0, full: true, counts: undefined };
		const valid = this.#run(instance, meter, this.#bounds.repeats ? new Location() : undefined);
		return meter.work > SCHEMA_LIMITS.work ? undefined : { valid, work: meter.work };
	}

	get #run(): Test {
		this.#test ??= this.#compiled.tests[this.#root.id]!;
		return this.#test;
	}

	get #bounds(): Bound {
		this.#bound ??= boundOf(this.#root, this.#compiled.graph);
		return this.#bound;
	}

	/** Whether no chain of schemas is too long for tests that call one another. */
	get #isShort(): boolean {
		return this.#bounds.reach <= REACH;
	}

	/** Whether the instance is so small that the budget can't be exhausted. */
	#fits(instance: JsonValue): boolean {
		return fits(this.#bounds, instance);
	}

	/** Explaining is an evaluation of its own: most failures are branches of a union that nobody asks about. */
	#diagnose(instance: JsonValue, options: Pick<EvaluateOptions, "all" | "code">): Diagnostic[] {
		const { graph, tests } = this.#compiled;
		const short = this.#isShort && !objectsInheritNames() && this.#fits(instance);
		const judge = new Judge(graph, {
			explain: options.all === true ? "all" : "first",
			...(short && {
				holds: (node, value) => tests[node.id]!(value, { work: 0, full: false, counts: undefined }, undefined),
			}),
		});
		const failure = judge.run(this.#root, instance);
		return diagnose(failure!, options.code ?? "INVALID_INPUT", options.all === true ? DIAGNOSTICS_MAX : 1);
	}
}
