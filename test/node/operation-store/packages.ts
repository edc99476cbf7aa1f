import { writeTree } from "../fixtures.ts";

/** The packages that the killed hosts run; what they start is counted with a wait for the disk. */

const about = (name: string, more = ""): string =>
	`---\nname: ${name}\ndescription: For hosts that are killed.\n${more}---\n`;

/** Makes one call of the kind that its input names, and answers with what came of it. */
const ROOT = `
import { appendFileSync } from "node:fs";
import { handle } from "millrace/sdk";

await handle(async (run) => {
	const { kind, counter } = run.input;
	const input = { kind, counter };
	const call = { operationId: "op", input };
	if (kind === "mapped") return { outcome: "done", output: await mapped(run, input) };
	if (kind === "many") return { outcome: "done", output: await many(run, counter) };
	let output;
	try {
		if (kind === "capability") output = await run.callCapability({ ...call, slot: "work", method: "do" });
		else output = (await run.runChildFlow({ ...call, slot: kind })).output;
	} catch (error) {
		output = error.code ?? String(error);
	}
	return { outcome: "done", output };
});

/** Hands the sending end of a channel to the function, and reads what comes of it. */
async function mapped(run, input) {
	const { send, receive } = await run.channel();
	const call = { operationId: "op", slot: "function", input, channels: { out: send } };
	try {
		const { output } = await run.runChildFlow(call);
		const items = [];
		for await (const item of receive) items.push(item);
		return items.length === 1 && items[0] === output ? output : { output, items };
	} catch (error) {
		await receive.close();
		return error.code ?? String(error);
	}
}

/** Operations of every kind, some at once; each answer goes into a file as it comes. */
async function many(run, counter) {
	const answers = {};
	const waiting = Array.from({ length: 40 }, (_, index) => index);
	const worker = async () => {
		for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
			const slot = index % 20 === 19 ? "package" : index % 3 === 0 ? "function" : "work";
			const call = { operationId: "op" + index, slot, input: { counter: counter + "." + index } };
			let answer;
			try {
				if (slot === "work") answer = await run.callCapability({ ...call, method: "do" });
				else answer = (await run.runChildFlow(call)).output;
			} catch (error) {
				// A host that is gone is no answer.
				if (error.code === "CHANNEL_LOST" || error.code === "CANCELLED") throw error;
				answer = error.code;
			}
			answers[call.operationId] = answer;
			appendFileSync(counter + ".answers", call.operationId + " " + answer + "\\n");
		}
	};
	await Promise.all([worker(), worker(), worker(), worker()]);
	return answers;
}
`;

/** Counts itself; ends its host in the middle of its work where a file beside the counter says so. */
const LEAF = `
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { handle } from "millrace/sdk";

await handle(async (run) => {
	const { counter } = run.input;
	const marker = counter + ".kill";
	const file = openSync(counter, "a");
	writeSync(file, "leaf\\n");
	fsyncSync(file);
	closeSync(file);
	if (existsSync(marker)) {
		rmSync(marker);
		process.kill(process.ppid, "SIGKILL");
	}
	return { outcome: "done", output: "made" };
});
`;

/** Counts itself and runs the leaf below it. */
const CHILD = `
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { handle } from "millrace/sdk";

await handle(async (run) => {
	const file = openSync(run.input.counter, "a");
	writeSync(file, "child\\n");
	fsyncSync(file);
	closeSync(file);
	return run.runChildFlow({ operationId: "inner", slot: "package", input: run.input });
});
`;

/** Writes them below `root`: `root`, `child` and `leaf`. */
export function writePackages(root: string): string {
	return writeTree(root, {
		"root/FLOW.md": about("root", "uses:\n  work: { local: true }\n"),
		"root/flow.mjs": ROOT,
		"child/FLOW.md": about("child"),
		"child/flow.mjs": CHILD,
		"leaf/FLOW.md": about("leaf"),
		"leaf/flow.mjs": LEAF,
	});
}
