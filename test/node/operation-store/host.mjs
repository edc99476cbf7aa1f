// A host in a process of its own, which kills itself at a named step of a named operation, as nothing else could: no
// handler runs, nothing is flushed. Driven by the tests beside it; prints one line of JSON for each Run that ends.
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { directory, nodeRuntime, sqliteOperationStore } from "../../../dist/adapters/node/index.js";
import { createHost } from "../../../dist/src/host/index.js";

/** @typedef {{ key: string, kind: string, counter: string, at?: string, step?: string, slow?: boolean, hold?: boolean }} Row */

const { store: file, packages, temporary, rows } = JSON.parse(process.argv[2]);

const die = () => process.kill(process.pid, "SIGKILL");

/** Appends a line and waits for the disk: what is counted is counted, whatever happens next. */
function count(path, what) {
	const handle = openSync(path, "a");
	writeSync(handle, `${what}\n`);
	fsyncSync(handle);
	closeSync(handle);
}

/** The same store, in which this process ends at a step of the operation at the path `at`. */
function killing(store, { at, step }) {
	const dying = (name, { scope, operationId }) => {
		if (step === name && [...scope, operationId].join(" ") === at) die();
	};
	return {
		async claim(key, binding) {
			const answer = await store.claim(key, binding);
			if (answer.kind !== "claimed") return answer;
			const { claim } = answer;
			return {
				kind: "claimed",
				claim: {
					incarnation: claim.incarnation,
					recorded: claim.recorded,
					async begin(intent) {
						dying("before the intent is recorded", intent);
						const came = await claim.begin(intent);
						dying("after the intent, before the dispatch", intent);
						return came;
					},
					async settle(name, outcome) {
						dying("after the work, before its end is recorded", name);
						const came = await claim.settle(name, outcome);
						dying("after its end, before the answer", name);
						return came;
					},
					outcome: (name) => claim.outcome(name),
				},
			};
		},
	};
}

/** Ends this process once the answer to the operation at `at` has been written. */
function observing({ at, step, slow }) {
	let decided = false;
	return ({ path, event }) => {
		if (slow && event.type === "launched" && path.length === 0) process.stdout.write("launched\n");
		if (step !== "after the answer" || event.type !== "session") return;
		const { type, operationId } = event.event;
		if (type === "decided" && [...path, operationId].join(" ") === at) decided = true;
		if (type === "written" && decided) die();
	};
}

const host = createHost({ runtime: nodeRuntime({ temporary }) });
const store = await sqliteOperationStore(file);
const load = (name) => host.load(directory(`${packages}/${name}`));
const [root, child, leaf] = await Promise.all(["root", "child", "leaf"].map(load));

for (const row of rows) {
	const work = async (operationId) => {
		count(row.counter, operationId);
		if (row.step === "during the work" && row.at === operationId) die();
		if (row.slow) await sleep(Math.random() * 8);
		while (row.hold && !existsSync(`${row.counter}.go`)) await sleep(5);
		return { value: "made" };
	};
	const run = host.run(root, {
		input: { kind: row.kind, counter: row.counter },
		operations: { store: row.step === undefined ? store : killing(store, row), key: row.key },
		onTrace: observing(row),
		capabilities: { work: { call: ({ operationId }) => work(operationId) } },
		children: {
			async function({ operationId, channels }) {
				const { value } = await work(operationId);
				if (channels?.out !== undefined) {
					await channels.out.send(value);
					await channels.out.close();
				}
				return { outcome: "done", output: value };
			},
			package: leaf,
			nested: { package: child, children: { package: leaf } },
		},
	});
	const output = await run.result.then(
		(report) => report.output,
		(failure) => failure.code,
	);
	if (row.step === "after the root's result") die();
	process.stdout.write(`${JSON.stringify({ key: row.key, output })}\n`);
}
await Promise.all([root, child, leaf].map((pack) => pack.dispose()));
await store.close();
