/** Sequences of commands by seed, what must hold after each, and the shortest part of one that breaks it. */
import { replay } from "../../../src/run/index.ts";
import { Counts } from "./counts.ts";
import { demand, Violation } from "./ledger.ts";
import { Random } from "./random.ts";
import { World } from "./world.ts";

/** One step: what, and two numbers that say which. */
export type Command = readonly [name: string, a: number, b: number];

const ORDINARY: readonly (readonly [name: string, weight: number])[] = [
	["take component", 40],
	["take host", 40],
	["deliver to host", 40],
	["deliver to component", 40],
	["exchange", 40],
	["call", 28],
	["channel", 100],
	["work", 50],
	["settle work", 12],
	["cancel call", 10],
	["written", 8],
	["finish", 2],
	["burst", 1],
	["exit badly", 1],
	["hold", 1],
	["cancel root", 1],
	["expire root", 1],
];
const FAULTS: readonly (readonly [name: string, weight: number])[] = [
	["corrupt", 1],
	["duplicate", 1],
	["inject", 1],
	["cut", 1],
	["half-close", 1],
	["write fails", 1],
	["read fails", 1],
	["exhaust", 1],
	["die", 1],
];

const INJECTED = [
	"",
	"[]",
	'{"jsonrpc":"2.0","method":"x/y"}',
	'{"jsonrpc":"2.0","method":"request/cancel","params":{}}',
	'{"jsonrpc":"2.0","method":"request/cancel","params":{"requestId":"nobody"}}',
	'{"jsonrpc":"2.0","id":"odd","method":"x/y"}',
	'{"jsonrpc":"2.0","id":"nobody","result":null}',
	'{"jsonrpc":"2.0","id":"host:1","error":{"code":-32601,"message":"m"}}',
];

/** The commands of one seed: half of all seeds bring faults. */
export function commandsOf(seed: number): { readonly commands: Command[]; readonly faulty: boolean } {
	const random = new Random(seed);
	const faulty = random.chance(50);
	const length = 20 + random.below(160);
	const table = faulty ? [...ORDINARY, ...FAULTS] : ORDINARY;
	const total = table.reduce((sum, [, weight]) => sum + weight, 0);
	// Mostly the root arrives at once: little can be said before it.
	const begun: Command[] = random.chance(90) ? [["exchange", 0, 0]] : [];
	const commands = Array.from({ length }, (): Command => {
		let left = random.below(total);
		let index = 0;
		for (; left >= table[index]![1]; index += 1) left -= table[index]![1];
		return [table[index]![0], random.below(1_000), random.below(1_000)];
	});
	return { commands: [...begun, ...commands], faulty };
}

/** Plays commands from the start, then lets everything come to rest. Throws a `Violation`. */
export function play(commands: readonly Command[], counts: Counts, traced = false): void {
	const world = new World(counts, traced);
	world.host.start();
	let died = false;
	for (const [name, a, b] of commands) {
		counts.add(`command:${name}`);
		if (name === "die") died = true;
		COMMANDS[name]!(world, a, b);
		world.check();
		if (died) break;
	}
	conclude(world, died, counts);
}

const pipeOf = (world: World, a: number) => (a % 2 === 0 ? world.up : world.down);
const sessionOf = (world: World, a: number) => (a % 2 === 0 ? world.host : world.component);
const writerOf = (world: World, a: number) => (a % 2 === 0 ? world.component : world.host);

/** Bytes that are read at once: all there are, or few. */
const some = (a: number, b: number): number => (a % 3 === 0 ? 1 + (b % 40) : 1_000_000);

/** Mostly sends and reads (3, 4), else one of what `World.channel` and `World.useWork` know. */
const CHANNEL_USE = [0, 1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 6, 2];
const WORK_USE = [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4];

const COMMANDS: { readonly [name: string]: (world: World, a: number, b: number) => void } = {
	"take component": (world) => void world.take("component"),
	"take host": (world) => void world.take("host"),
	"deliver to host": (world, a, b) => void world.deliver("host", some(a, b)),
	"deliver to component": (world, a, b) => void world.deliver("component", some(a, b)),
	exchange: (world) => world.exchange(),
	call: (world, a) => world.call(a),
	channel: (world, a, b) => world.channel(CHANNEL_USE[a % CHANNEL_USE.length]!, b),
	work: (world, a, b) => world.useWork(WORK_USE[a % WORK_USE.length]!, b),
	"settle work": (world, a) => world.settleWork(a),
	"cancel call": (world, a) => world.cancelCall(a),
	written: (world, a) => sessionOf(world, a).written(),
	finish: (world, a) => world.finish(a),
	burst: (world, a) => world.burst(a),
	"exit badly": (world, a) => {
		world.exitCode = 1 + (a % 3);
		world.exitKind = (["code", "signal", "unknown"] as const)[a % 3]!;
	},
	hold: (world) => {
		world.holding = true;
	},
	"cancel root": (world) => {
		world.condition("CANCELLED", (host) => host.cancel());
	},
	"expire root": (world) => {
		world.condition("DEADLINE_EXCEEDED", (host) => host.expire());
	},
	exhaust: (world) => {
		world.condition("RESOURCE_EXHAUSTED", (host) => host.exhaust("A bound was crossed."));
	},
	corrupt: (world, a, b) => void pipeOf(world, a).corrupt(b, a >> 1),
	duplicate: (world, a, b) => void pipeOf(world, a).duplicate(b),
	inject: (world, a, b) => {
		const pipe = pipeOf(world, a);
		if (!pipe.midFrame && !pipe.over) pipe.inject(INJECTED[b % INJECTED.length]!);
	},
	cut: (world, a, b) => {
		pipeOf(world, a).taints.add("ended");
		pipeOf(world, a).close(1 + (b % 60));
	},
	"half-close": (world, a) => {
		pipeOf(world, a).taints.add("ended");
		pipeOf(world, a).close();
	},
	"write fails": (world, a) => {
		pipeOf(world, a).taints.add("unwritten");
		pipeOf(world, a).drop();
		writerOf(world, a).writeFailed(new Error("EPIPE"));
	},
	"read fails": (world, a) => {
		pipeOf(world, a).taints.add("unread");
		pipeOf(world, a).drop();
		sessionOf(world, a).readFailed(new Error("EIO"));
	},
	die: (world, _, b) => {
		world.up.close(b % 80);
		world.down.drop();
		world.up.taints.add("ended");
	},
};

const FAILURES = new Set([
	...["CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "EXECUTION_FAILED", "UNCERTAIN", "UNAVAILABLE"],
	...["INVALID_RESULT", "PROTOCOL_ERROR", "CHANNEL_LOST", "OWNER_CLOSED"],
]);

function conclude(world: World, died: boolean, counts: Counts): void {
	const taints = new Set([...world.up.taints, ...world.down.taints]);
	if (!died) {
		world.drain();
		if (world.started && !world.finished && world.end === undefined) {
			world.finish(2);
			world.drain();
		}
		// Half of a frame that nobody will end.
		if (world.end === undefined) {
			world.down.close();
			world.drain();
		}
		// A pipe whose other end is gone tells it in its own time.
		if (world.end === undefined && world.down.over) {
			world.component.inputEnded();
			world.drain();
		}
	}
	// A component that has ended said how; one that was killed can't.
	const { end } = world;
	world.exit(end?.kind === "finished" ? world.exitCode : 1, died || end === undefined);
	if (died) world.component.inputEnded();
	else demand(end !== undefined || !world.started, "the component never ended");
	world.drain();
	world.waits.demandNone("after the end");
	demand(world.host.unsettled === 0, `${world.host.unsettled} operations never settled`);
	judge(world, taints, died, counts);
	replayed(world, counts);
}

function judge(world: World, taints: ReadonlySet<string>, died: boolean, counts: Counts): void {
	const { conclusion, end, wire } = world;
	demand(conclusion !== undefined, "there is no verdict");
	counts.add(`ending:host ${conclusion.status === "succeeded" ? "success" : conclusion.code}`);
	counts.add(`ending:component ${end === undefined ? "killed" : end.kind === "finished" ? "finished" : end.code}`);
	const verdict = conclusion.status === "succeeded" ? "result" : conclusion.code;
	if (world.first !== undefined && taints.size === 0 && !died) {
		demand(verdict === world.first, `${world.first} was recorded first and became ${verdict}`);
	}
	const said = ["changed", "doubled", "cut"].some((taint) => taints.has(taint));
	if (!said && !died) {
		const accused =
			(conclusion.status === "failed" && conclusion.code === "PROTOCOL_ERROR") ||
			(end?.kind === "fatal" && end.code === "PROTOCOL_ERROR");
		// Half a frame is left where a pipe broke between two writes of ours, which are whole frames: never.
		demand(!accused, `one side accuses the other: ${JSON.stringify(conclusion)} ${JSON.stringify(end)}`);
	}
	if (taints.size === 0 && !died && world.conditions === 0 && world.exitCode === 0 && world.left === 0) {
		demand(end?.kind === "finished", `without a fault the component ended ${JSON.stringify(end)}`);
		const terminal = wire.terminal?.error?.data?.code ?? (wire.terminal?.error === undefined ? "result" : "standard");
		// The host may refuse a result for its channels' sake, nothing else.
		demand(
			terminal === verdict || (terminal === "result" && verdict === "EXECUTION_FAILED"),
			`${terminal} became ${verdict}`,
		);
	}
	if (taints.size === 0 && !died && world.conditions === 0 && end?.kind === "finished") {
		const due =
			world.exitCode === 0 && world.left === 0
				? undefined
				: world.exitCode !== 0 && world.exitKind === "unknown"
					? "CHANNEL_LOST"
					: "EXECUTION_FAILED";
		demand(
			due === undefined || verdict === due,
			`exit ${world.exitCode} (${world.exitKind}) with ${world.left} left became ${verdict}`,
		);
		if (world.left > 0) counts.add("race:work outlived the component");
	}
	if (conclusion.status === "succeeded") {
		demand(world.left === 0, `a success with ${world.left} operations left`);
		demand(wire.terminal !== undefined && wire.terminal.error === undefined, "a success without a result");
		demand(world.exitCode === 0, `a success of a component that exited with ${world.exitCode}`);
		demand(end?.kind === "finished" || taints.size > 0, "a success of a component that failed");
		demand(!world.abandoned || world.changed, "a success in spite of abandoned work");
		if (taints.size === 0)
			for (const [id, { answered }] of wire.asked) demand(answered, `a success with ${id} unanswered`);
	} else demand(FAILURES.has(conclusion.code), `the code ${conclusion.code}`);
	const code = wire.terminal?.error?.data?.code;
	demand(
		wire.terminal === undefined || !world.cancelled || code === "CANCELLED",
		`after its cancellation it said ${code}`,
	);
	if (wire.terminal !== undefined && world.conditions > 0) counts.add("race:a condition and a terminal");
	if (world.abandoned) counts.add("race:the handler ended with open requests");
	for (const { cancelled, answered } of wire.asked.values())
		if (cancelled && answered) counts.add("race:a cancellation crossed an answer");
}

function replayed({ traces }: World, counts: Counts): void {
	if (traces === undefined) return;
	for (const side of ["component", "host"] as const) {
		const { divergence } = replay(traces[side]);
		demand(divergence === undefined, `the trace of the ${side} replays differently: ${JSON.stringify(divergence)}`);
		counts.add("replayed:traces");
	}
}

/** What a sequence violates, or undefined. */
export function violationOf(commands: readonly Command[], counts: Counts, traced = false): string | undefined {
	try {
		play(commands, counts, traced);
		return undefined;
	} catch (error) {
		if (error instanceof Violation) return error.message;
		return `${(error as Error).stack}`;
	}
}

/** A part of a failing sequence from which nothing can be left out without the violation being another one. */
export function shrink(commands: readonly Command[]): Command[] {
	let best = [...commands];
	// Names and numbers change when something is left out; the sentence stays.
	const kindOf = (some: readonly Command[]): string | undefined =>
		violationOf(some, new Counts(), true)
			?.split("\n")[0]
			?.replace(/[\d"'{}[\]:,]+/g, "");
	const kind = kindOf(commands);
	const fails = (some: readonly Command[]): boolean => kindOf(some) === kind;
	for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
		for (let start = 0; start < best.length; ) {
			const without = [...best.slice(0, start), ...best.slice(start + size)];
			if (fails(without)) best = without;
			else start += size;
		}
	}
	return best;
}
