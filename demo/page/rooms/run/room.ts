/** What the room holds: the package or trace that is looked at, what it is given, and how its Run comes along. */
import { type Signal, signal } from "@preact/signals";
import { isLocalName, type JsonObject, type JsonValue } from "millrace";
import type {
	ChannelReceiver,
	HostError,
	LoadedPackage,
	RootChannel,
	Run,
	RunEvent,
	RunFailure,
	RunReport,
} from "millrace/host";
import type { PackageInput } from "../../parts/input.ts";
import { checkDeadline, checkText } from "./check-text.ts";
import { type Example, exampleSource } from "./examples.ts";
import { layOut } from "./lay-out.ts";
import { type Fault, faultOf, host, type Loaded, loadInput, loadSource, Prefixed } from "./loading.ts";
import { sketchOf } from "./sketch.ts";
import { isTraceFile, type OpenedTrace, readTraceFile } from "./trace/file.ts";
import { SequenceModel } from "./trace/model.ts";

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
}

export interface Exit {
	readonly exitCode: number | null;
	readonly signal: string | null;
}

export type RunState =
	| { readonly kind: "idle" }
	| {
			readonly kind: "running";
			readonly cancelling: boolean;
			/** On the page's clock that never jumps. */
			readonly since: number;
	  }
	| { readonly kind: "done"; readonly report: RunReport; readonly exit?: Exit }
	| { readonly kind: "failed"; readonly failure: RunFailure | HostError | Error; readonly exit?: Exit };

/** What a sending port of the root gave: all of it counted, the first of it kept. */
export interface Received {
	readonly count: number;
	readonly items: readonly JsonValue[];
}

/** Items of one port that are kept. */
const ITEMS = 100;

/** Characters of what is printed while it goes on. */
const PRINTED = 2_000;

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
	readonly received: Signal<Readonly<Record<string, Received>>> = signal({});
	/** The end of what the root has printed so far. */
	readonly printed: Signal<string> = signal("");
	/** Child slots that were called with nothing bound to them. */
	readonly unbound: Signal<readonly string[]> = signal([]);
	/** What the last Run, or the trace, is drawn from; `version` grows with it. */
	readonly model: Signal<SequenceModel | undefined> = signal(undefined);
	readonly version: Signal<number> = signal(0);
	#run: Run | undefined;
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

	async bindChild(slot: string, input: PackageInput): Promise<void> {
		const put = (child: ChildSlot): void => {
			this.children.value = this.children.value.map((each) => (each.slot === slot ? child : each));
		};
		const signal = this.#loading?.signal ?? new AbortController().signal;
		put({ slot, name: input.name });
		try {
			const { pack } = await loadInput(input, { signal }).catch((error: unknown) => {
				if (error instanceof Prefixed) return loadInput(input, { signal, prefix: error.prefix });
				throw error;
			});
			this.#held.push(pack);
			put({ slot, name: pack.snapshot.metadata.name, pack });
		} catch (error) {
			if (!signal.aborted) put({ slot, name: input.name, fault: faultOf(error).message });
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
		const subject = this.subject.value;
		const deadline = checkDeadline(this.deadline.value);
		if (subject.kind !== "package" || this.#run !== undefined || "problem" in deadline) return;
		const {
			loaded: { pack },
			example,
		} = subject;
		const model = new SequenceModel();
		const visit = this.#loading;
		let exit: Exit | undefined;
		const onTrace = (event: RunEvent): void => {
			model.add(event);
			if (visit !== this.#loading) return;
			const { path, event: what } = event;
			if (what.type === "exited" && path.length === 0) exit = what;
			else if (what.type === "operation-unbound" && what.target === "child" && !this.unbound.value.includes(what.slot))
				this.unbound.value = [...this.unbound.value, what.slot].slice(0, 16);
			this.#look();
		};
		this.received.value = {};
		this.unbound.value = [];
		this.#draw(model);
		this.state.value = { kind: "running", cancelling: false, since: performance.now() };
		const decoder = new TextDecoder();
		const onStderr = (bytes: Uint8Array): void => {
			this.#printed = (this.#printed + decoder.decode(bytes, { stream: true })).slice(-PRINTED);
			this.#look();
		};
		this.#printed = "";
		this.printed.value = "";
		const lent: LoadedPackage[] = [];
		let end: RunState;
		try {
			const children = await this.#childrenOf(example, lent);
			if (visit?.signal.aborted) return;
			const { settings } = pack.snapshot.schemas;
			this.#run = host.run(pack, {
				input: readValue(this.input.value),
				...(settings === undefined ? {} : { settings: readValue(this.settings.value) as JsonObject }),
				deadlineMs: deadline.ms,
				children,
				capabilities: example?.capabilities?.() ?? {},
				channels: this.#channelsOf(pack),
				onTrace,
				onStderr,
			});
			const report = await this.#run.result;
			end = { kind: "done", report, ...(exit === undefined ? {} : { exit }) };
		} catch (error) {
			const failure = error instanceof Error ? error : new Error(String(error));
			end = { kind: "failed", failure, ...(exit === undefined ? {} : { exit }) };
		} finally {
			for (const child of lent) child.dispose().catch(() => undefined);
		}
		// Somebody went on to another package meanwhile: its room is not this Run's any more.
		if (visit !== this.#loading) return;
		this.#run = undefined;
		this.state.value = end;
		this.version.value += 1;
	}

	/** What the page brings for an example is loaded for each Run, and given up after it. */
	async #childrenOf(
		example: Example | undefined,
		lent: LoadedPackage[],
	): Promise<Readonly<Record<string, LoadedPackage>>> {
		const children: Record<string, LoadedPackage> = {};
		for (const [slot, name] of Object.entries(example?.children ?? {})) {
			const pack = await host.load(exampleSource(name));
			lent.push(pack);
			children[slot] = pack;
		}
		for (const { slot, pack } of this.children.value) if (pack !== undefined) children[slot] = pack;
		return children;
	}

	#channelsOf({ snapshot }: LoadedPackage): Readonly<Record<string, RootChannel>> {
		const channels: Record<string, RootChannel> = {};
		for (const [name, { direction }] of snapshot.channels) {
			if (direction === "receive") channels[name] = readValue(this.ports.value[name] ?? "[]") as JsonValue[];
			else channels[name] = (receiver: ChannelReceiver) => this.#receive(name, receiver);
		}
		return channels;
	}

	async #receive(name: string, receiver: ChannelReceiver): Promise<void> {
		let count = 0;
		const items: JsonValue[] = [];
		for await (const item of receiver) {
			count += 1;
			if (items.length < ITEMS) items.push(item);
			this.received.value = { ...this.received.value, [name]: { count, items } };
		}
	}

	cancel(): void {
		if (this.#run === undefined || this.state.value.kind !== "running") return;
		this.state.value = { ...this.state.value, cancelling: true };
		this.#run.cancel();
	}

	/** Ends what goes on, and gives up every package. */
	close(): void {
		this.#run?.cancel();
		this.#run = undefined;
		this.#loading?.abort();
		this.#loading = undefined;
		for (const pack of this.#held.splice(0)) pack.dispose().catch(() => undefined);
		this.children.value = [];
		this.ports.value = {};
		this.settings.value = "{}";
		this.received.value = {};
		this.unbound.value = [];
		this.model.value = undefined;
		this.state.value = { kind: "idle" };
		this.subject.value = { kind: "none" };
	}

	#draw(model: SequenceModel): void {
		this.model.value = model;
		this.version.value += 1;
	}

	#printed = "";
	#timer: ReturnType<typeof setTimeout> | undefined;

	/** Many events, one look. */
	#look(): void {
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.version.value += 1;
			this.printed.value = this.#printed;
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
