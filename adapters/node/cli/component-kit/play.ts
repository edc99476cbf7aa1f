import type { ComponentCase, HostStep } from "../../../../conformance/component/plan.ts";
import { expandRules } from "../../../../conformance/corpus.ts";
import { type Fields, field, isFields } from "../../../../conformance/data.ts";
import { differenceFrom, preview } from "../../../../conformance/host/match.ts";
import { type JsonValue, parseJson } from "../../../../src/json/index.ts";
import { checkMessage } from "../../../../src/run/index.ts";
import type { ComponentUnderTest } from "./component-process.ts";

/** Something that the component did and may not, or didn't do and must. */
export class Difference extends Error {
	override readonly name = "Difference";
}

const ROOT_ID = "host:1";

/** Verbs that write; what each of them stands for. */
type Writer = (player: Player, argument: unknown, step: HostStep) => Uint8Array;

/** Plays one case's script against a component that was just started. Throws a {@link Difference}. */
export async function play(each: ComponentCase, component: ComponentUnderTest, patienceMs: number): Promise<void> {
	const player = new Player(each, component, patienceMs);
	const { script, rootless = false } = each;
	if (!rootless && !script.some((step) => mentions(step, "run"))) await player.step({ run: {} });
	for (const [index, step] of script.entries()) {
		player.at = `step ${index + 1} (${Object.keys(step)[0]})`;
		await player.step(step);
	}
	player.at = "the end";
	await player.end(each.exit ?? 0);
}

function mentions(step: unknown, verb: string): boolean {
	if (!isFields(step)) return false;
	return (
		Object.hasOwn(step, verb) || (Array.isArray(step.together) && step.together.some((one) => mentions(one, verb)))
	);
}

class Player {
	at = "the start";
	readonly #case: ComponentCase;
	readonly #component: ComponentUnderTest;
	readonly #patienceMs: number;
	/** Requests of the component by the names that the script gives them. */
	readonly #calls = new Map<string, Fields>();
	readonly #ids = new Set<string>();

	constructor(each: ComponentCase, component: ComponentUnderTest, patienceMs: number) {
		this.#case = each;
		this.#component = component;
		this.#patienceMs = patienceMs;
	}

	async step(step: HostStep): Promise<void> {
		const [verb = ""] = Object.keys(step);
		const argument = step[verb];
		const writer = WRITERS[verb];
		if (writer !== undefined) {
			await this.#component.write(writer(this, argument, step), field(step, "chunk") as number | undefined);
			return;
		}
		switch (verb) {
			case "eof":
				this.#component.endInput();
				return;
			case "quiet": {
				const frame = await this.#take(argument as number);
				if (frame !== undefined) throw this.#difference(`expected nothing, got ${shown(frame)}`);
				return;
			}
			case "mayDiagnose":
				await this.#mayDiagnose(argument as number);
				return;
			case "anyOrder":
				await this.#anyOrder(argument as readonly HostStep[]);
				return;
			case "repeat":
				for (let i = 1; i <= (argument as number); i += 1) {
					for (const one of step.do as readonly HostStep[]) await this.step(numbered(one, i) as HostStep);
				}
				return;
			default: {
				const found = await this.#frame(step);
				const difference = this.#mismatch(step, found);
				if (difference !== undefined) throw this.#difference(difference);
				this.#accept(step, found);
			}
		}
	}

	/** After the script: nothing more, and the component ends by itself. */
	async end(exit: 0 | "nonzero" | "any"): Promise<void> {
		const frame = await this.#take(this.#patienceMs);
		if (frame === undefined) throw this.#difference("the component goes on");
		if (frame !== "end") throw this.#difference(`expected nothing more, got ${shown(frame)}`);
		const { rest } = this.#component;
		if (rest.length > 0) throw this.#difference(`stdout ends with ${rest.length} bytes that are no frame`);
		const { code, how } = await this.#within(this.#component.exited);
		const isRight = exit === "any" || (exit === 0 ? code === 0 : code !== 0 && code !== null);
		if (!isRight)
			throw this.#difference(`expected ${exit === 0 ? "exit code 0" : "another exit code than 0"}, it ended ${how}`);
	}

	async #within<T>(work: Promise<T>): Promise<T> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			timer = setTimeout(() => reject(this.#difference("the component does not exit")), this.#patienceMs);
		});
		return Promise.race([work, late]).finally(() => clearTimeout(timer));
	}

	#difference(text: string): Difference {
		return new Difference(`${this.at}: ${text}`);
	}

	// What the component writes ----------------------------------------------------------------------------------------

	/** A frame that must come. */
	async #frame(step: HostStep): Promise<Fields> {
		const frame = await this.#take(this.#patienceMs);
		if (frame === undefined || frame === "end") {
			const what = frame === "end" ? "its stdout ended" : `nothing within ${this.#patienceMs} ms`;
			throw this.#difference(`expected ${preview(step)}, got ${what}`);
		}
		return frame;
	}

	/** The next frame, which must be a message of Run/1, whatever the case is about. */
	async #take(ms: number): Promise<Fields | "end" | undefined> {
		const bytes = await this.#component.next(ms);
		if (bytes === undefined || bytes === "end") return bytes;
		let value: JsonValue;
		try {
			value = parseJson(bytes);
		} catch (error) {
			throw this.#difference(`a frame that is not JSON/1: ${(error as Error).message}`);
		}
		const fault = checkMessage(value);
		if (fault !== undefined) {
			throw this.#difference(`${preview(value)} is no message of Run/1: ${fault.path.join(".")} ${fault.message}`);
		}
		const frame = value as Fields;
		const id = field(frame, "id");
		if (field(frame, "method") !== undefined && typeof id === "string") {
			if (this.#ids.has(id)) throw this.#difference(`the request id ${id} came twice`);
			this.#ids.add(id);
		}
		return frame;
	}

	#mismatch(step: HostStep, found: Fields): string | undefined {
		const [verb = ""] = Object.keys(step);
		const argument = step[verb];
		switch (verb) {
			case "call": {
				const { params = { $any: true } } = step;
				return differenceFrom({ id: { $kind: "token" }, method: argument, params }, found, "frame", () => undefined);
			}
			case "cancelled": {
				const requestId = this.call(argument as string).id;
				const pattern = { id: { $absent: true }, method: "request/cancel", params: { requestId } };
				return differenceFrom(pattern, found, "frame", () => undefined);
			}
			case "terminal":
				return differenceFrom({ id: ROOT_ID, ...terminalOf(argument as Fields) }, found, "frame", () => undefined);
			case "diagnostic":
				return differenceFrom(diagnosticOf(argument as number), found, "frame", () => undefined);
			default:
				throw new TypeError(`no verb "${verb}"`);
		}
	}

	#accept(step: HostStep, found: Fields): void {
		const as = field(step, "as");
		if (typeof as === "string") this.#calls.set(as, found);
	}

	async #mayDiagnose(code: number): Promise<void> {
		const frame = await this.#take(this.#patienceMs);
		if (frame === undefined) throw this.#difference("the component goes on");
		if (frame === "end") return;
		const difference = differenceFrom(diagnosticOf(code), frame, "frame", () => undefined);
		if (difference !== undefined) throw this.#difference(difference);
	}

	async #anyOrder(steps: readonly HostStep[]): Promise<void> {
		const open = [...steps];
		while (open.length > 0) {
			const found = await this.#frame(open[0]!);
			const index = open.findIndex((step) => this.#mismatch(step, found) === undefined);
			if (index < 0) throw this.#difference(`nothing awaited is like ${preview(found)}; awaited: ${preview(open)}`);
			this.#accept(open[index]!, found);
			open.splice(index, 1);
		}
	}

	// What the host writes ---------------------------------------------------------------------------------------------

	call(name: string): Fields {
		const found = this.#calls.get(name);
		if (found === undefined) throw new TypeError(`the script has no request "${name}" yet`);
		return found;
	}

	run(more: Fields): unknown {
		const { steps = [], root = {} } = this.#case;
		const params = {
			protocol: "run/1",
			input: { steps },
			settings: {},
			attachments: {},
			scratch: "/nowhere/scratch",
			deadlineUnixMs: 4_102_444_800_000,
			...root,
		};
		return { jsonrpc: "2.0", id: ROOT_ID, method: "flow/run", params, ...more };
	}
}

const WRITERS: { readonly [verb: string]: Writer } = {
	run: (player, more) => lineOf(player.run(more as Fields)),
	answer: (player, name, step) => {
		const { id } = player.call(name as string);
		if (Object.hasOwn(step, "result")) return lineOf({ jsonrpc: "2.0", id, result: step.result });
		if (Object.hasOwn(step, "failure")) return lineOf({ jsonrpc: "2.0", id, error: failureOf(step.failure) });
		return lineOf({ jsonrpc: "2.0", id, error: step.error });
	},
	cancel: (_, name) => {
		const requestId = name === "root" ? ROOT_ID : name;
		return lineOf({ jsonrpc: "2.0", method: "request/cancel", params: { requestId } });
	},
	frame: (_, value) => lineOf(value),
	write: (_, bytes) => bytesOf(bytes),
	together: (player, steps) =>
		Buffer.concat(
			(steps as readonly HostStep[]).map((step) => {
				const [verb = ""] = Object.keys(step);
				return WRITERS[verb]!(player, step[verb], step);
			}),
		),
};

function failureOf(given: unknown): unknown {
	const {
		code,
		message = "As the case wants.",
		...more
	} = typeof given === "string" ? { code: given } : (given as Fields);
	return { code: -32_000, message, data: { code, ...more } };
}

function terminalOf(argument: Fields): Fields {
	if (Object.hasOwn(argument, "result")) return { result: argument.result };
	if (Object.hasOwn(argument, "rpc")) return { error: { code: argument.rpc } };
	const { failure } = argument;
	if (isFields(failure)) return { error: { code: -32_000, ...failure } };
	const code = Array.isArray(failure) ? { $oneOf: failure } : failure;
	return { error: { code: -32_000, data: { code } } };
}

/** Its id is null, or the id of the request that it is about. */
function diagnosticOf(code: number): Fields {
	return { method: { $absent: true }, id: { $oneOf: [null, { $kind: "token" }] }, error: { code } };
}

function lineOf(value: unknown): Uint8Array {
	return Buffer.from(`${JSON.stringify(expandRules(value))}\n`);
}

function bytesOf(parts: unknown): Uint8Array {
	if (Array.isArray(parts)) return Buffer.concat(parts.map(bytesOf));
	const { text, hex, json, part, times } = parts as Record<string, unknown>;
	if (typeof text === "string") return Buffer.from(text);
	if (typeof hex === "string") return Buffer.from(hex, "hex");
	if (typeof part === "string") return Buffer.from(part.repeat(times as number));
	return Buffer.from(JSON.stringify(expandRules(json)));
}

/** A step of a repetition, with its number in the places that ask for it. */
function numbered(value: unknown, i: number): unknown {
	if (Array.isArray(value)) return value.map((item) => numbered(item, i));
	if (!isFields(value)) return value;
	if (Object.keys(value).length === 1) {
		if (value.$ === "i") return i;
		if (Array.isArray(value.$text)) return value.$text.map((part) => String(numbered(part, i))).join("");
	}
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member, i)]));
}

function shown(frame: Fields | "end"): string {
	return frame === "end" ? "the end of its stdout" : preview(frame);
}
