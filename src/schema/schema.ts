/** A compiled schema: evaluate, accept, check, and the Standard Schema interface. */

import { admitJson, JsonError, type JsonValue, objectsInheritNames } from "../json/index.ts";
import { type Bound, boundOf, fits } from "./bound.ts";
import type { Test } from "./combine.ts";
import { contentOf, type SchemaSource } from "./content.ts";
import { type BoundaryCode, type Diagnostic, diagnose } from "./explain.ts";
import { testGraph } from "./fast.ts";
import { DIAGNOSTICS_MAX } from "./limits.ts";
import { Machine, type Profile } from "./machine.ts";
import type { SchemaGraph, SchemaNode } from "./node.ts";
import { type Plan, planGraph } from "./plan.ts";
import { type StandardProps, standardProps } from "./standard.ts";

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

/** Schemas that were compiled together share their plans. */
export class Compiled {
	readonly graph: SchemaGraph;
	#plans: readonly Plan[] | undefined;
	#tests: readonly Test[] | undefined;

	constructor(graph: SchemaGraph) {
		this.graph = graph;
	}

	planOf(node: SchemaNode): Plan {
		this.#plans ??= planGraph(this.graph);
		return this.#plans[node.id]!;
	}

	testOf(node: SchemaNode): Test {
		this.#tests ??= testGraph(this.graph);
		return this.#tests[node.id]!;
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
		const machine = new Machine({ profile: options.profile === true });
		const failure = machine.run(this.#plan, instance);
		const { work, profile } = machine;
		const measured = profile === undefined ? { work } : { work, profile };
		if (failure === null) return { valid: true, ...measured, diagnostics: [] };
		return { valid: false, ...measured, diagnostics: this.#diagnose(instance, options) };
	}

	accepts(instance: JsonValue): boolean {
		return this.#isFast(instance) ? this.#fast(instance) : new Machine().run(this.#plan, instance) === null;
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

	get #plan(): Plan {
		return this.#compiled.planOf(this.#root);
	}

	get #fast(): Test {
		this.#test ??= this.#compiled.testOf(this.#root);
		return this.#test;
	}

	/** Whether nothing needs to be metered for this instance. */
	#isFast(instance: JsonValue): boolean {
		this.#bound ??= boundOf(this.#root, this.#compiled.graph);
		return this.#bound.reach <= REACH && fits(this.#bound, instance) && !objectsInheritNames();
	}

	/** Explaining is an evaluation of its own: most failures are branches of a union that nobody asks about. */
	#diagnose(instance: JsonValue, options: Pick<EvaluateOptions, "all" | "code">): Diagnostic[] {
		const failure = new Machine({ explain: true }).run(this.#plan, instance);
		return diagnose(failure!, options.code ?? "INVALID_INPUT", options.all === true ? DIAGNOSTICS_MAX : 1);
	}
}
