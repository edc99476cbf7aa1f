/** What the room holds: the package or trace that is looked at, what it is given, and how its Run comes along. */
import { type Signal, signal } from "@preact/signals";
import { isLocalName, type JsonObject, type JsonValue } from "millrace";
import type { LoadedPackage, RunReport } from "millrace/host";
import type { PackageInput } from "../../parts/input.ts";
import { checkDeadline, checkText } from "./check-text.ts";
import { type Example, exampleSource } from "./examples.ts";
import { Execution, type Terms } from "./execution.ts";
import { layOut } from "./lay-out.ts";
import { type Fault, faultOf, type Loaded, loadInput, loadSource } from "./loading.ts";
import { sketchOf } from "./sketch.ts";
import { isTraceFile, type OpenedTrace, readTraceFile } from "./trace/file.ts";
import type { SequenceModel } from "./trace/model.ts";

export type Subject =
	| { readonly kind: "none" }
	| { readonly kind: "loading"; readonly name: string; readonly share?: number }
	| { readonly kind: "refused"; readonly name: string; readonly fault: Fault; readonly input?: PackageInput }
	| { readonly kind: "package"; readonly name: string; readonly loaded: Loaded; readonly example?: Example }
	| { readonly kind: "trace"; readonly name: string; readonly trace: OpenedTrace };

/** A package of the user's for a child slot. */
export interface ChildSlot {
	readonly slot: string;
	readonly name?: string;
	readonly pack?: LoadedPackage;
	readonly fault?: string;
	/** An archive that has a package in a directory: whether that one is meant, a person says. */
	readonly offer?: { readonly input: PackageInput; readonly prefix: string };
}

export type RunState =
	| { readonly kind: "idle" }
	| { readonly kind: "running"; readonly execution: Execution; readonly cancelling: boolean }
	| { readonly kind: "done"; readonly execution: Execution; readonly report: RunReport }
	| { readonly kind: "failed"; readonly execution: Execution; readonly failure: Error };

/** Milliseconds between two looks at a Run that goes on. */
const LOOK = 100;

export class RunRoom {
	readonly subject: Signal<Subject> = signal({ kind: "none" });
	readonly input: Signal<string> = signal("null");
	readonly settings: Signal<string> = signal("{}");
	readonly deadline: Signal<string> = signal("30");
	/** Texts for the ports that the package receives from, by name: lists of items. */
	readonly ports: Signal<Readonly<Record<string, string>>> = signal({});
	readonly children: Signal<readonly ChildSlot[]> = signal([]);
	readonly state: Signal<RunState> = signal({ kind: "idle" });
	/** What the last Run, or the trace, is drawn from; `version` grows with it. */
	readonly model: Signal<SequenceModel | undefined> = signal(undefined);
	readonly version: Signal<number> = signal(0);
	#timer: ReturnType<typeof setTimeout> | undefined;
	#loading: AbortController | undefined;
	/** Packages to give up with the subject. */
	#held: LoadedPackage[] = [];

	/** Whether an example is what is looked at. */
	shows({ name }: Example): boolean {
		const subject = this.subject.value;
		return (subject.kind === "package" || subject.kind === "loading") && subject.name === name;
	}

	/** Loads an example, and fills in what it is given. */
	async openExample(example: Example): Promise<void> {
		await this.#open(example.name, async (signal) => {
			const loaded = this.#hold(await loadSource(exampleSource(example.name), { signal }));
			this.input.value = layOut(example.input);
			this.deadline.value = String(example.deadlineSeconds);
			return { kind: "package", name: example.name, loaded, example };
		});
	}

	/** Opens what was dropped: a folder, an archive, or a trace. */
	async open(input: PackageInput, prefix?: string): Promise<void> {
		await this.#open(
			input.name,
			async (signal) => {
				if (input.kind === "file" && (await isTraceFile(input.file))) return this.#openTrace(input.file, signal);
				const onShare = (share: number): void => {
					if (!signal.aborted) this.subject.value = { kind: "loading", name: input.name, share };
				};
				const loaded = this.#hold(await loadInput(input, { prefix, signal, onShare }));
				this.input.value = layOut(sketchOf(loaded.schemas.get("input.schema.json")));
				if (loaded.schemas.has("settings.schema.json"))
					this.settings.value = layOut(sketchOf(loaded.schemas.get("settings.schema.json")));
				this.deadline.value = "30";
				return { kind: "package", name: input.name, loaded };
			},
			input,
		);
	}

	async #openTrace(file: File, signal: AbortSignal): Promise<Subject> {
		const onProgress = (bytes: number): void => {
			if (!signal.aborted) this.subject.value = { kind: "loading", name: file.name, share: bytes / file.size };
		};
		const trace = await readTraceFile(file, { signal, onProgress });
		this.#draw(trace.model);
		return { kind: "trace", name: file.name, trace };
	}

	async #open(name: string, open: (signal: AbortSignal) => Promise<Subject>, input?: PackageInput): Promise<void> {
		this.close();
		const loading = new AbortController();
		this.#loading = loading;
		this.subject.value = { kind: "loading", name };
		try {
			const subject = await open(loading.signal);
			if (!loading.signal.aborted) this.subject.value = subject;
		} catch (error) {
			if (loading.signal.aborted) return;
			const fault = faultOf(error);
			this.subject.value = { kind: "refused", name, fault, ...(input === undefined ? {} : { input }) };
		}
	}

	/** Packages are given up with the subject. */
	#hold(loaded: Loaded): Loaded {
		this.#held.push(loaded.pack);
		return loaded;
	}

	/** Makes room for a child package under a slot's name. */
	addChild(slot: string): void {
		if (!this.children.value.some((child) => child.slot === slot))
			this.children.value = [...this.children.value, { slot }];
	}

	removeChild(slot: string): void {
		this.children.value = this.children.value.filter((child) => child.slot !== slot);
	}

	async bindChild(slot: string, input: PackageInput, prefix?: string): Promise<void> {
		const put = (child: ChildSlot): void => {
			this.children.value = this.children.value.map((each) => (each.slot === slot ? child : each));
		};
		const signal = this.#loading?.signal ?? new AbortController().signal;
		put({ slot, name: input.name });
		try {
			const { pack } = await loadInput(input, { signal, prefix });
			this.#held.push(pack);
			put({ slot, name: pack.snapshot.metadata.name, pack });
		} catch (error) {
			if (signal.aborted) return;
			const { message, prefix: inside } = faultOf(error);
			const offer = inside === undefined ? {} : { offer: { input, prefix: inside } };
			put({ slot, name: input.name, fault: message, ...offer });
		}
	}

	/** Why the Run can't be started as things are, or undefined. */
	whyNot(): string | undefined {
		const subject = this.subject.value;
		if (subject.kind !== "package") return "There is no package to run.";
		const { schemas, channels } = subject.loaded.pack.snapshot;
		if (!checkText(this.input.value, schemas.input).ok) return "The input has problems.";
		if (schemas.settings !== undefined && !checkText(this.settings.value, schemas.settings).ok)
			return "The settings have problems.";
		if ("problem" in checkDeadline(this.deadline.value)) return "The deadline is no number of seconds.";
		for (const [name, { direction }] of channels) {
			if (direction === "send") continue;
			if (!isList(this.ports.value[name] ?? "[]")) return `What the channel ${name} receives is no list.`;
		}
		if (this.children.value.some(({ pack }) => pack === undefined)) return "A child slot has no package yet.";
		return undefined;
	}

	/** Starts a Run of the package, and follows it to its end. */
	async start(): Promise<void> {
		const terms = this.#terms();
		if (terms === undefined || this.state.value.kind === "running") return;
		const execution = new Execution(terms, () => this.#look());
		const state: RunState = { kind: "running", execution, cancelling: false };
		this.#draw(execution.model);
		this.state.value = state;
		let end: RunState;
		try {
			end = { kind: "done", execution, report: await execution.run() };
		} catch (error) {
			end = { kind: "failed", execution, failure: error instanceof Error ? error : new Error(String(error)) };
		}
		const now = this.state.value;
		// Otherwise somebody went on to another package meanwhile.
		if (now.kind !== "running" || now.execution !== execution) return;
		this.state.value = end;
		this.version.value += 1;
	}

	/** What is typed, as what a Run is given; undefined while it has problems. */
	#terms(): Terms | undefined {
		const subject = this.subject.value;
		const deadline = checkDeadline(this.deadline.value);
		if (subject.kind !== "package" || "problem" in deadline || this.whyNot() !== undefined) return undefined;
		const { pack } = subject.loaded;
		const { schemas, channels } = pack.snapshot;
		const children = new Map<string, LoadedPackage>();
		for (const child of this.children.value) if (child.pack !== undefined) children.set(child.slot, child.pack);
		const items = new Map<string, readonly JsonValue[]>();
		for (const name of channels.keys()) items.set(name, readValue(this.ports.value[name] ?? "[]") as JsonValue[]);
		return {
			...{ pack, children, items, example: subject.example, deadlineMs: deadline.ms },
			input: readValue(this.input.value),
			settings: schemas.settings === undefined ? undefined : (readValue(this.settings.value) as JsonObject),
		};
	}

	cancel(): void {
		const state = this.state.value;
		if (state.kind !== "running") return;
		this.state.value = { ...state, cancelling: true };
		state.execution.cancel();
	}

	/** Ends what goes on, and gives up every package. */
	close(): void {
		this.cancel();
		this.#loading?.abort();
		this.#loading = undefined;
		for (const pack of this.#held.splice(0)) pack.dispose().catch(() => undefined);
		this.children.value = [];
		this.ports.value = {};
		this.settings.value = "{}";
		this.model.value = undefined;
		this.state.value = { kind: "idle" };
		this.subject.value = { kind: "none" };
	}

	#draw(model: SequenceModel): void {
		this.model.value = model;
		this.version.value += 1;
	}

	/** Many events, one look. */
	#look(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.version.value += 1;
		}, LOOK);
	}
}

function readValue(text: string): JsonValue {
	const checked = checkText(text, undefined);
	if (!checked.ok) throw new TypeError("A text that is no JSON was to be run.");
	return checked.value;
}

function isList(text: string): boolean {
	const checked = checkText(text, undefined);
	return checked.ok && Array.isArray(checked.value);
}

/** Why a slot can't have this name, or undefined. */
export function slotFault(name: string): string | undefined {
	return isLocalName(name)
		? undefined
		: "A slot's name has lower-case letters, digits and single hyphens between them.";
}
