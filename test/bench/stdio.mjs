// Run/1 over the pipes of real processes: round trips against a raw newline-JSON echo and three protocol SDKs, a component's
// life against a bare runtime's, and the memory that one frame of 16 MiB takes. In every contender the child calls and its
// parent answers; all are alive at once and work in turn.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { directory, nodeRuntime } from "../../dist/adapters/node/index.js";
import { createHost } from "../../dist/src/host/index.js";
import { isShort, keep, median } from "./measure.mjs";
import { CALLING, ECHOING, READING, SENDING, WEIGHING, writePackage } from "./stdio/packages.mjs";

const here = fileURLToPath(new URL("./stdio/", import.meta.url));
/** As bare as a component's: what this process was given can double the start of a child. */
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };
const ROUNDS = isShort ? 1 : 9;
/** Of 100 bytes as JSON. */
const VALUE = "x".repeat(98);
/** All jobs of a contender are one Run/1 channel: 65,536 requests at most. */
const WARMING = { count: 12_000, inFlight: 64, value: VALUE };
const JOBS = [
	{ title: "100 B, 1 in flight", count: 800, inFlight: 1, value: VALUE },
	{ title: "100 B, 64 in flight", count: 4_400, inFlight: 64, value: VALUE },
];
/** Items of one channel: its sends and its reads are the requests of two components. */
const ITEMS = 60_000;
const LIMIT = "raw newline JSON";
const ECHO = "node echoing one line";
const OURS = ["millrace sessions", "millrace SDK and host"];
const PEERS = ["vscode-jsonrpc", "@modelcontextprotocol/sdk", "@agentclientprotocol/sdk"];
const GOAL = 0.85;
const GOAL_OF_PEERS = 3;
const GOAL_OF_CHANNELS = 0.4;

/** One child that calls and the parent's side that answers it. */
class Contender {
	#turn;
	#waiting;

	constructor() {
		this.#await();
	}

	#await() {
		this.#turn = new Promise((resolve) => {
			this.#waiting = resolve;
		});
	}

	/** The parent's side of both methods. */
	answer = (method, input, done) => {
		if (method === "echo") done(input);
		else this.#waiting({ report: input, done });
	};

	/** Has the child do one job and gives its milliseconds; without one, lets it end. */
	async do(job) {
		const { done } = await this.#turn;
		this.#await();
		done(job);
		return job === null ? undefined : (await this.#turn).report;
	}
}

async function startChild(name) {
	const contender = new Contender();
	const child = spawn(process.execPath, [join(here, "caller.mjs"), name], {
		stdio: ["pipe", "pipe", "inherit"],
		env: ENVIRONMENT,
	});
	child.on("exit", (code) => {
		if (code !== 0) throw new Error(`the caller of ${name} ended with ${code}`);
	});
	const { serve } = await import(`./stdio/${name}.mjs`);
	await serve(child.stdout, child.stdin, contender.answer);
	return contender;
}

function startRun(host, pack) {
	const contender = new Contender();
	const call = ({ method, input }) => {
		let value = input;
		if (method === "echo") return { value };
		return new Promise((resolve) => {
			contender.answer(method, input, (job) => {
				value = job;
				resolve({ value });
			});
		});
	};
	const run = host.run(pack, { input: null, deadlineMs: 3_600_000, capabilities: { bench: { call } } });
	run.result.catch((error) => {
		console.error(error);
		process.exit(1);
	});
	return contender;
}

/** For each contender, the median over the rounds of its speed against the limit's in the same round. */
async function race(contenders, job) {
	const samples = contenders.map(() => []);
	const limits = [];
	for (let round = -1; round < ROUNDS; round++) {
		const order = contenders.map((_, index) => index);
		// The other way round every second time: nobody always follows the same neighbour.
		if (round % 2 !== 0) order.reverse();
		const times = [];
		for (const index of order) times[index] = await contenders[index][1].do(job);
		if (round < 0) continue;
		limits.push(times[0]);
		for (const [index, time] of times.entries()) samples[index].push(times[0] / time);
	}
	const speed = job.count / median(limits);
	return { ratios: contenders.map(([name], index) => [name, median(samples[index])]), speed };
}

function print(name, text, goal, met) {
	const mark = goal === undefined ? "" : `   goal ${goal}: ${met ? "met" : "missed"}`;
	console.log(`  ${name.padEnd(32)} ${text}${mark}`);
}

async function roundTrips(host, base) {
	const pack = await host.load(directory(writePackage(join(base, "calling"), CALLING)));
	const contenders = [
		[LIMIT, await startChild("raw")],
		[OURS[0], await startChild("sessions")],
		[OURS[1], startRun(host, pack)],
		[PEERS[0], await startChild("vscode-jsonrpc")],
		[PEERS[1], await startChild("mcp")],
		[PEERS[2], await startChild("acp")],
	];
	for (const [, contender] of contenders) await contender.do(WARMING);
	let oneByOne = 0;
	for (const job of JOBS) {
		const { ratios, speed } = await race(contenders, job);
		if (job.inFlight === 1) oneByOne = speed;
		const by = Object.fromEntries(ratios);
		const peers = Object.fromEntries(PEERS.map((name) => [name, by[name]]));
		console.log(`${job.title}: calls of a component, against the raw echo`);
		print(LIMIT, `1.00  ${speed.toFixed(1)} k/s`);
		for (const name of OURS) {
			const met = keep(`${job.title}: ${name} of ${LIMIT}`, by[name], peers, { goal: GOAL });
			print(name, by[name].toFixed(2), `>= ${GOAL}`, met);
		}
		for (const name of PEERS) {
			if (job.inFlight === 1) {
				print(name, by[name].toFixed(2));
				continue;
			}
			// Sessions are what a peer is; the SDK and the host also admit values, keep a ledger and call a provider.
			const said = OURS.map((each) => {
				const times = by[each] / by[name];
				const met = keep(`${job.title}: ${each} of ${name}`, times, {}, { goal: GOAL_OF_PEERS });
				return `${each} ${times.toFixed(1)} times as fast (goal >= ${GOAL_OF_PEERS}: ${met ? "met" : "missed"})`;
			});
			print(name, `${by[name].toFixed(2)}; ${said.join(", ")}`);
		}
	}
	for (const [, contender] of contenders) await contender.do(null);
	await pack.dispose();
	return oneByOne;
}

/** `limit`: thousands of calls per second of the raw echo, one at a time. */
async function channel(host, base, limit) {
	const sending = await host.load(directory(writePackage(join(base, "sending"), SENDING)));
	const reading = await host.load(directory(writePackage(join(base, "reading"), READING)));
	const name = `${ITEMS.toLocaleString("en")} values through a direct channel`;
	const times = [];
	for (let round = 0; round < 3; round++) {
		const run = host.run(sending, {
			input: { count: ITEMS, value: VALUE },
			deadlineMs: 600_000,
			children: { reader: reading },
		});
		times.push((await run.result).output);
	}
	await sending.dispose();
	await reading.dispose();
	const ratio = ITEMS / median(times) / limit;
	const met = keep(`${name}, of ${LIMIT} 1 in flight`, ratio, {}, { goal: GOAL_OF_CHANNELS });
	console.log(`${name}, from one component to another, against the raw echo with 1 in flight`);
	print(
		"millrace SDK and host",
		`${ratio.toFixed(2)}  ${(ITEMS / median(times)).toFixed(1)} k/s`,
		`>= ${GOAL_OF_CHANNELS}`,
		met,
	);
}

/** Starts node, writes to it, and waits until it has ended and its output was read. */
function runNode(args, text, cwd) {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: ENVIRONMENT, cwd });
		let answer = "";
		child.stdout.on("data", (chunk) => {
			answer += chunk;
			child.stdin.end();
		});
		child.stdin.on("error", () => undefined);
		child.on("error", reject);
		child.on("close", (status) => (status === 0 ? resolve(answer) : reject(new Error(`node ended with ${status}`))));
		if (text === "") child.stdin.end();
		else child.stdin.write(text);
	});
}

const ROOT_REQUEST = {
	jsonrpc: "2.0",
	id: "host:1",
	method: "flow/run",
	params: {
		protocol: "run/1",
		input: { name: "Ada" },
		settings: {},
		attachments: {},
		scratch: "/scratch",
		deadlineUnixMs: 1_787_558_400_000,
	},
};

async function life(host, base) {
	const root = writePackage(join(base, "echoing"), ECHOING);
	const pack = await host.load(directory(root));
	// The same file beside a copy of the SDK, as a stage has it, without a host.
	const bare = writePackage(join(base, "bare"), {
		...ECHOING,
		"node_modules/@jigging/flow/package.json": '{"name":"@jigging/flow","type":"module","exports":"./index.js"}',
		"node_modules/@jigging/flow/index.js": readFileSync(new URL("../../dist/sdk/node.js", import.meta.url), "utf8"),
	});
	const line = `${JSON.stringify(ROOT_REQUEST)}\n`;
	const echo = join(base, "echo.mjs");
	writeFileSync(
		echo,
		'process.stdin.once("data", (line) => { process.stdout.write(line); process.stdin.destroy(); });\n',
	);
	const ways = [
		["node -e 0", () => runNode(["-e", "0"], "")],
		[ECHO, () => runNode([echo], line)],
		["millrace component, spawned", () => runNode([join(bare, "flow.mjs")], line, bare)],
		["millrace host.run, loaded", () => host.run(pack, { input: { name: "Ada" }, deadlineMs: 60_000 }).result],
	];
	const samples = ways.map(() => []);
	const limits = [];
	for (let round = -1; round < 25; round++) {
		const times = [];
		for (const [index, [, run]] of ways.entries()) {
			const start = performance.now();
			await run();
			times[index] = performance.now() - start;
		}
		if (round < 0) continue;
		limits.push(times[0]);
		for (const [index, time] of times.entries()) samples[index].push(time / times[0]);
	}
	await pack.dispose();
	console.log("from spawn to exit with one request, in times of a bare runtime's");
	print(ways[0][0], `1.00  ${median(limits).toFixed(0)} ms`);
	for (const [index, [name]] of ways.entries()) {
		if (index === 0) continue;
		const ratio = median(samples[index]);
		// What a module costs that reads one line and writes it back: nothing with a protocol can be under it.
		if (name === ECHO) {
			print(name, ratio.toFixed(2));
			continue;
		}
		const met = keep(`spawn to exit: ${name} of node -e 0`, ratio, {}, { goal: 1.2, atMost: true });
		print(name, ratio.toFixed(2), "<= 1.2", met);
	}
}

function memory(base) {
	if (!existsSync("/proc/self/status")) return;
	const root = writePackage(join(base, "weighing"), WEIGHING);
	console.log("a frame of 16 MiB: from what was held before it to the most that was held, in frames");
	for (const [way, title] of [
		["up", "a call of 16 MiB"],
		["down", "an answer of 16 MiB"],
	]) {
		const grown = [];
		for (let round = 0; round < 3; round++) {
			const { status, stdout, stderr } = spawnSync(process.execPath, [join(here, "weigh.mjs"), root, way], {
				encoding: "utf8",
				env: ENVIRONMENT,
			});
			if (status !== 0) throw new Error(stderr);
			grown.push(JSON.parse(stdout));
		}
		for (const whose of ["component", "host"]) {
			const ratio = median(grown.map((one) => one[whose]));
			const met = keep(`16 MiB frame: ${title}, ${whose}`, ratio, {}, { goal: 8, atMost: true });
			print(`${title}, ${whose}`, ratio.toFixed(1), "<= 8", met);
		}
	}
}

export async function bench() {
	const base = mkdtempSync(join(tmpdir(), "millrace-bench-stdio-"));
	try {
		const host = createHost({ runtime: nodeRuntime() });
		const limit = await roundTrips(host, base);
		await channel(host, base, limit).catch((error) => {
			if (error.code !== "UNAVAILABLE") throw error;
			console.log(`channels: ${error.message}`);
		});
		await life(host, base);
		memory(base);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}
