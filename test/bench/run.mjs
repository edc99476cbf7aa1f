// Run/1 in memory: splitting and reading frames, and whole round trips through both sessions and `drive`, each as a ratio to
// the same work on raw newline-delimited JSON with batched writes.
import { parseJson } from "../../dist/src/json/index.js";
import { ComponentSession, drive, FrameReader, HostSession, memoryPipe } from "../../dist/src/run/index.js";
import { compare, keep } from "./measure.mjs";

const ROOT = {
	input: null,
	settings: {},
	attachments: {},
	scratch: "/scratch",
	deadlineUnixMs: 1_787_558_400_000,
	channels: {},
};

/** A component that keeps `inFlight` calls of `input` going until `total` have settled, against a host that echoes. */
function runSessions(input, inFlight, total) {
	return new Promise((resolve, reject) => {
		const [hostEnd, componentEnd] = memoryPipe();
		let made = 0;
		let settled = 0;
		const next = () => {
			made += 1;
			component.call(
				{ kind: "capability", operationId: `o:${made}`, slot: "s", method: "m", input, channels: {} },
				(settlement) => {
					if (!("value" in settlement)) reject(new Error(settlement.failure?.message));
					settled += 1;
					if (made < total) next();
					else if (settled === total) resolve();
				},
			);
		};
		const component = new ComponentSession({
			wake: () => there.wake(),
			start: () => {
				for (let i = 0; i < inFlight; i++) next();
			},
			cancelled: () => undefined,
			closed: (end) => reject(new Error(end.message)),
		});
		const host = new HostSession(ROOT, {
			wake: () => here.wake(),
			dispatch: (operation) => operation.settle({ value: operation.call.input }),
			abandon: () => undefined,
			accept: () => undefined,
			responded: () => undefined,
			failed: (why) => reject(new Error(why)),
		});
		const there = drive(component, componentEnd);
		const here = drive(host, hostEnd);
		host.start();
	});
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One end of newline-delimited JSON with batched writes and nothing else: what any of this can at best reach. */
function rawEnd(transport, receive) {
	let queue = [];
	let writing = false;
	let rest = "";
	const flush = () => {
		if (writing || queue.length === 0) return;
		writing = true;
		const batch = queue.join("");
		queue = [];
		transport.write(encoder.encode(batch), () => {
			writing = false;
			flush();
		});
	};
	transport.listen({
		chunk: (bytes) => {
			const lines = (rest + decoder.decode(bytes)).split("\n");
			rest = lines.pop();
			for (const line of lines) receive(JSON.parse(line));
		},
		ended: () => undefined,
		failed: () => undefined,
	});
	return (message) => {
		queue.push(`${JSON.stringify(message)}\n`);
		if (queue.length === 1) Promise.resolve().then(flush);
	};
}

function runRaw(input, inFlight, total) {
	return new Promise((resolve) => {
		const [left, right] = memoryPipe();
		let made = 0;
		let settled = 0;
		const echo = rawEnd(right, ({ id, params }) => echo({ jsonrpc: "2.0", id, result: { value: params.input } }));
		const send = rawEnd(left, () => {
			settled += 1;
			if (made < total) next();
			else if (settled === total) resolve();
		});
		const next = () => {
			made += 1;
			const params = { operationId: `o:${made}`, slot: "s", method: "m", input };
			send({ jsonrpc: "2.0", id: `component:${made}`, method: "capability/call", params });
		};
		for (let i = 0; i < inFlight; i++) next();
	});
}

async function compareRuns(title, input, inFlight, total) {
	const contenders = [
		["raw newline JSON", runRaw],
		["sessions", runSessions],
	];
	const samples = contenders.map(() => []);
	for (let round = 0; round < 9; round++) {
		for (const [index, [, run]] of contenders.entries()) {
			const start = process.hrtime.bigint();
			await run(input, inFlight, total);
			samples[index].push(Number(process.hrtime.bigint() - start) / 1e9);
		}
	}
	const medians = samples.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
	const cells = contenders.map(
		([name], index) =>
			`${name} ${(medians[0] / medians[index]).toFixed(2)} (${Math.round(total / medians[index] / 1_000)} k/s)`,
	);
	console.log(`${title.padEnd(34)} ${cells.join("   ")}`);
	keep(title, medians[0] / medians[1]);
	return medians[0] / medians[1];
}

function stream(size, frames) {
	const params = { operationId: "op:1", slot: "store", method: "write", input: "x".repeat(size) };
	const line = `${JSON.stringify({ jsonrpc: "2.0", id: "component:1", method: "capability/call", params })}\n`;
	return encoder.encode(line.repeat(frames));
}

function readRaw(bytes) {
	let count = 0;
	for (const line of decoder.decode(bytes).split("\n")) if (line !== "" && JSON.parse(line)) count += 1;
	return count;
}

function readFrames(bytes, chunkBytes) {
	const reader = new FrameReader();
	let count = 0;
	for (let at = 0; at < bytes.length; at += chunkBytes) {
		reader.push(bytes.subarray(at, at + chunkBytes));
		for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
			parseJson(frame);
			count += 1;
		}
	}
	return count;
}

export async function bench() {
	console.log("Run/1 in memory, ratio to raw newline-delimited JSON");
	for (const [size, frames] of [
		[50, 2_000],
		[10_000, 50],
	]) {
		const bytes = stream(size, frames);
		compare(`frames of ${Math.round(bytes.length / frames)} B, read`, [
			["raw newline JSON", () => readRaw(bytes)],
			["64 KiB chunks", () => readFrames(bytes, 65_536)],
			["100 B chunks", () => readFrames(bytes, 100)],
		]);
	}
	await compareRuns("100 B round trips, 1 in flight", "x", 1, 5_000);
	await compareRuns("100 B round trips, 64 in flight", "x", 64, 20_000);
	await compareRuns("10 KB round trips, 64 in flight", "x".repeat(10_000), 64, 2_000);
}
