import { expect, test } from "vitest";
import { Counts } from "./counts.ts";
import { commandsOf, shrink, violationOf } from "./explore.ts";

const { MILLRACE_SEED, MILLRACE_EXPLORE } = process.env;
const SEQUENCES = Number(MILLRACE_EXPLORE ?? 20_000);
const FIRST = MILLRACE_SEED === undefined ? (Date.now() % 1_000_000_000) * 1_000 : Number(MILLRACE_SEED);
const TRACED = 40;

/** What an exploration of the ordinary size must have met. */
const MET = [
	...[
		"take component",
		"take host",
		"deliver to host",
		"deliver to component",
		"call",
		"channel",
		"work",
		"settle work",
	],
	...[
		"burst",
		"exit badly",
		"hold",
		"cancel call",
		"written",
		"finish",
		"cancel root",
		"expire root",
		"corrupt",
		"duplicate",
		"inject",
		"cut",
	],
	...["half-close", "write fails", "read fails", "exhaust", "die"],
].map((name) => `command:${name}`);
const RACES = [
	...["root cancelled while it runs", "work asked to stop", "a cancellation crossed an answer"],
	...["the handler ended with open requests", "a condition and a terminal", "work abandoned its receiver"],
	"work outlived the component",
].map((name) => `race:${name}`);
const ENDINGS = [
	...["success", "CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "EXECUTION_FAILED", "INVALID_RESULT"],
	...["UNAVAILABLE", "PROTOCOL_ERROR", "CHANNEL_LOST"],
].map((name) => `ending:host ${name}`);
const SETTLED = [
	...["done", "CANCELLED", "OPERATION_CONFLICT", "EXECUTION_FAILED", "UNCERTAIN", "PROTOCOL_ERROR", "CHANNEL_LOST"],
].map((name) => `call:${name}`);
const CHANNELS = [
	"refused:RESOURCE_EXHAUSTED",
	"channel:lagged",
	"channel:moved",
	"transfer:done",
	"transfer:PERMISSION_DENIED",
];

test(`${SEQUENCES} sequences from seed ${FIRST} on, over both sides of a channel and its broker`, () => {
	const counts = new Counts();
	const started = performance.now();
	const { stackTraceLimit } = Error;
	// Calls are refused by the hundred thousand, and where they were made is no news.
	Error.stackTraceLimit = 0;
	for (let n = 0; n < SEQUENCES; n += 1) {
		const seed = FIRST + n;
		const { commands, faulty } = commandsOf(seed);
		const violation = violationOf(commands, counts, n % TRACED === 0);
		if (violation !== undefined) {
			Error.stackTraceLimit = stackTraceLimit;
			const short = shrink(commands);
			const again = violationOf(short, new Counts(), true);
			throw new Error(
				`seed ${seed} (MILLRACE_SEED=${seed} MILLRACE_EXPLORE=1 plays it): ${violation}\nshortest: ${JSON.stringify(short)}\n${again}`,
			);
		}
		counts.add(`sequences:${faulty ? "with faults" : "without"}`);
	}
	Error.stackTraceLimit = stackTraceLimit;
	const seconds = ((performance.now() - started) / 1_000).toFixed(1);
	console.log(`${SEQUENCES} sequences from seed ${FIRST} in ${seconds} s\n${counts}`);
	if (SEQUENCES < 20_000) return;
	const missing = [...MET, ...RACES, ...ENDINGS, ...SETTLED, ...CHANNELS].filter((name) => counts.of(name) === 0);
	expect(missing).toEqual([]);
}, 3_600_000);
