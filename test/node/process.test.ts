import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { startComponent } from "../../adapters/node/process.ts";
import { memorySource } from "../../src/package/index.ts";
import {
	collect,
	countedRuntime,
	errorOf,
	FLOW_MD,
	isAlive,
	launched,
	openFiles,
	until,
	workspace,
	writeTree,
} from "./fixtures.ts";

const linux = process.platform === "linux";

/** A component that starts another program with its own stdout and writes that one's process id to `pid` in scratch. */
const withDescendant = (detached: boolean, then: string): string => `
	import { spawn } from "node:child_process";
	import { writeFileSync } from "node:fs";
	const child = spawn("/bin/sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"], detached: ${detached} });
	child.on("spawn", () => { writeFileSync("pid", String(child.pid)); child.unref(); ${then} });`;

async function descendantOf(scratch: string): Promise<number> {
	await until(() => existsSync(join(scratch, "pid")) && readFileSync(join(scratch, "pid"), "utf8") !== "");
	const pid = Number(readFileSync(join(scratch, "pid"), "utf8"));
	onTestFinished(() => {
		if (isAlive(pid)) process.kill(pid, "SIGKILL");
	});
	return pid;
}

describe("a component's process", () => {
	test("gives its exit code, and its bytes even when it ended before anyone listened", async () => {
		const { component } = await launched(
			`process.stdout.write("out"); process.stderr.write("err"); process.exitCode = 7;`,
		);
		expect(await component.exited).toEqual({ exitCode: 7, signal: null });
		await sleep(50);
		expect(await collect(component)).toEqual({ out: "out", err: "err" });
		expect(await component.fence(1_000)).toEqual({ gone: true });
		expect(component.description).toBe(process.execPath);
	});

	test("runs in scratch, in a process group of its own", async () => {
		const { component, pid, scratch } = await launched(
			`setInterval(() => {}, 1000); process.stdout.write(process.cwd());`,
		);
		let text = "";
		component.transport.listen({ chunk: (bytes) => (text += Buffer.from(bytes)), ended() {}, failed() {} });
		await until(() => text === scratch);
		if (linux) expect(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ")[2]).toBe(String(pid));
	});

	test("is asked to end by SIGTERM, and killed by SIGKILL", async () => {
		const asked = await launched(
			`process.on("SIGTERM", () => process.exit(3)); process.stdout.write("."); setInterval(() => {}, 1000);`,
		);
		const first = new Promise<void>((resolve) =>
			asked.component.transport.listen({ chunk: () => resolve(), ended() {}, failed() {} }),
		);
		await first;
		asked.component.terminate();
		expect(await asked.component.exited).toEqual({ exitCode: 3, signal: null });
		const { component } = await launched(`setInterval(() => {}, 1000);`);
		component.kill();
		expect(await component.exited).toEqual({ exitCode: null, signal: "SIGKILL" });
		component.kill();
		component.terminate();
	});

	test("a program that doesn't exist rejects once, names the path and leaves nothing", async () => {
		const before = await openFiles();
		const live = new Set<{ killNow(): void }>();
		const command = { executable: "/nowhere/node", arguments: [], directory: "/", environment: {} };
		const error = await errorOf(() => startComponent(command, live));
		expect([error.code, error.path]).toEqual(["ENOENT", "/nowhere/node"]);
		expect(live.size).toBe(0);
		await sleep(20);
		expect(await openFiles()).toEqual(before);
	});

	test("a launch that fails is LAUNCH_FAILED of the activation and names the executable", async () => {
		const file = join(workspace(), "program");
		writeFileSync(file, "", { mode: 0o755 });
		const { runtime, left } = countedRuntime({ selectors: { node: { executable: file } } });
		rmSync(file);
		const staged = await runtime.stage(memorySource({ "FLOW.md": FLOW_MD, "flow.mjs": "" }), {});
		const scratch = await runtime.scratch();
		const entrypoint = { path: "flow.mjs", suffix: "mjs" };
		const error = await errorOf(() => runtime.launch({ staged, entrypoint, scratch: scratch.path }));
		expect([error.code, error.phase]).toEqual(["LAUNCH_FAILED", "activation"]);
		expect(error.message).toContain(file);
		await scratch.dispose();
		await staged.dispose();
		expect(left()).toEqual([]);
	});

	test("an activation that is aborted leaves no process", async () => {
		const live = new Set<{ killNow(): void }>();
		const controller = new AbortController();
		const command = {
			executable: process.execPath,
			arguments: ["-e", "setInterval(() => {}, 1000)"],
			directory: workspace(),
			environment: {},
		};
		const started = startComponent(command, live, controller.signal);
		const reason = new Error("no");
		controller.abort(reason);
		expect(await errorOf(() => started)).toBe(reason);
		expect(live.size).toBe(0);
		expect(await errorOf(() => startComponent(command, live, controller.signal))).toBe(reason);
	});

	test("its stdin answers every write once, after the bytes were taken", async () => {
		const { component, scratch } = await launched(`
			import { existsSync } from "node:fs";
			let bytes = 0;
			const waiting = setInterval(() => {
				if (!existsSync("go")) return;
				clearInterval(waiting);
				process.stdin.on("data", (chunk) => { bytes += chunk.length; });
				process.stdin.on("end", () => process.stdout.write(String(bytes)));
			}, 5);`);
		let answers = 0;
		const done = new Promise<unknown>((resolve) => {
			component.transport.write(new Uint8Array(8_000_000), (error) => {
				answers += 1;
				resolve(error);
			});
		});
		await sleep(20);
		expect(answers).toBe(0);
		writeFileSync(join(scratch, "go"), "");
		expect(await done).toBeUndefined();
		component.transport.end();
		expect((await collect(component)).out).toBe("8000000");
		expect(answers).toBe(1);
	});

	test("a write into a closed stdin is answered with an error, never thrown", async () => {
		const { component } = await launched(
			`import { closeSync } from "node:fs"; closeSync(0); process.stdout.write("."); setInterval(() => {}, 1000);`,
		);
		await new Promise<void>((resolve) =>
			component.transport.listen({ chunk: () => resolve(), ended() {}, failed() {} }),
		);
		const write = (): Promise<unknown> =>
			new Promise((resolve) => component.transport.write(new Uint8Array(1_000_000), resolve));
		await sleep(20);
		expect(await write()).toMatchObject({ code: "EPIPE" });
		expect(await write()).toBeInstanceOf(Error);
		component.transport.end();
	});

	test("a write that is pending when the component is killed is answered once", async () => {
		const { component } = await launched(`setInterval(() => {}, 1000);`);
		const answers: unknown[] = [];
		component.transport.write(new Uint8Array(8_000_000), (error) => answers.push(error));
		await sleep(20);
		expect(answers).toEqual([]);
		expect(await component.fence(2_000)).toEqual({ gone: true });
		await until(() => answers.length > 0);
		expect(answers[0]).toBeInstanceOf(Error);
		expect(answers).toHaveLength(1);
	});

	test("after stop no more is heard, and a flood doesn't hold the component up", async () => {
		const { component } = await launched(`process.stdout.write(Buffer.alloc(5_000_000), () => process.exit(0));`);
		component.transport.listen({
			chunk: () => component.transport.stop(),
			ended: () => expect.unreachable(),
			failed: () => expect.unreachable(),
		});
		expect(await component.exited).toEqual({ exitCode: 0, signal: null });
	});
});

describe("the fence", () => {
	test("kills what is left of the group after a clean exit and sees stdout end", async () => {
		const { component, scratch } = await launched(withDescendant(false, ""));
		component.transport.end();
		const pid = await descendantOf(scratch);
		await component.exited;
		expect(isAlive(pid)).toBe(true);
		let ended = false;
		component.transport.listen({ chunk() {}, ended: () => (ended = true), failed() {} });
		expect(await component.fence(5_000)).toEqual({ gone: true });
		expect([isAlive(pid), ended]).toEqual([false, true]);
	});

	test("kills a group that ignores SIGTERM", async () => {
		const { component, pid } = await launched(
			`process.on("SIGTERM", () => {}); process.stdout.write("."); setInterval(() => {}, 1000);`,
		);
		await new Promise<void>((resolve) =>
			component.transport.listen({ chunk: () => resolve(), ended() {}, failed() {} }),
		);
		component.terminate();
		await sleep(50);
		expect(isAlive(pid)).toBe(true);
		expect(await component.fence(5_000)).toEqual({ gone: true });
		expect(isAlive(pid)).toBe(false);
	});

	test("names a descendant that left the group and holds stdout, closes our ends and returns in time", async () => {
		const { component, scratch, runtime } = await launched(withDescendant(true, ""));
		component.transport.end();
		const pid = await descendantOf(scratch);
		let failed = false;
		component.transport.listen({ chunk() {}, ended() {}, failed: () => (failed = true) });
		await component.exited;
		const { gone, detail } = await component.fence(200);
		expect(gone).toBe(false);
		expect(detail).toContain("holds stdout open");
		if (linux) expect(detail).toContain(`${pid} (sleep)`);
		expect(isAlive(pid)).toBe(true);
		await until(() => failed);
		runtime.killNow();
	});

	test("sees an end that came in time, though this program was held up meanwhile", async () => {
		const { component } = await launched(`process.stdout.write("x".repeat(100_000)); setInterval(() => {}, 1_000);`);
		await new Promise<void>((resolve) => {
			component.transport.listen({ chunk: () => resolve(), ended: () => undefined, failed: () => undefined });
		});
		const fenced = component.fence(20);
		for (const end = performance.now() + 300; performance.now() < end; );
		expect(await fenced).toEqual({ gone: true });
	});

	test("asked twice, it answers once and the same", async () => {
		const { component } = await launched(`setInterval(() => {}, 1000);`);
		const [one, two] = await Promise.all([component.fence(2_000), component.fence(1)]);
		expect([one, two]).toEqual([{ gone: true }, { gone: true }]);
	});
});

describe("the end of the host", () => {
	test("killNow kills every group and removes every private directory, synchronously", async () => {
		const { runtime, left } = countedRuntime();
		const one = await launched(withDescendant(false, "setInterval(() => {}, 1000);"), { runtime });
		const two = await launched(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`, { runtime });
		const descendant = await descendantOf(one.scratch);
		expect(left().length).toBe(4);
		runtime.killNow();
		expect(left()).toEqual([]);
		await Promise.all([one.component.exited, two.component.exited]);
		await until(() => ![one.pid, two.pid, descendant].some(isAlive));
	});

	test("when the host is killed, the component sees the end of its stdin", async () => {
		const base = workspace();
		const witness = join(base, "witness");
		const component = `import { writeFileSync } from "node:fs"; process.stdin.resume();
			process.stdin.on("end", () => writeFileSync(${JSON.stringify(witness)}, String(process.pid)));`;
		writeFileSync(join(base, "component.mjs"), component);
		const host = `import { startComponent } from ${JSON.stringify(join(import.meta.dirname, "../../dist/adapters/node/process.js"))};
			await startComponent({ executable: process.execPath, arguments: [${JSON.stringify(join(base, "component.mjs"))}], directory: ${JSON.stringify(base)}, environment: {} }, new Set());
			setTimeout(() => process.kill(process.pid, "SIGKILL"), 200);`;
		const child = spawn(process.execPath, ["--input-type=module", "-e", host], { stdio: "inherit" });
		await new Promise((resolve) => child.once("exit", resolve));
		await until(() => existsSync(witness) && readFileSync(witness, "utf8") !== "");
		await until(() => !isAlive(Number(readFileSync(witness, "utf8"))));
	});

	test("a program that ends in the middle of its Runs leaves no component and no private directory", async () => {
		const base = workspace();
		const host = `import { nodeRuntime, directory } from ${JSON.stringify(join(import.meta.dirname, "../../dist/adapters/node/index.js"))};
			const runtime = nodeRuntime({ temporary: ${JSON.stringify(base)} });
			const staged = await runtime.stage(directory(${JSON.stringify(writeTree(workspace(), { "FLOW.md": FLOW_MD, "flow.mjs": "setInterval(() => {}, 1000)" }))}), {});
			const scratch = await runtime.scratch();
			const component = await runtime.launch({ staged, entrypoint: { path: "flow.mjs", suffix: "mjs" }, scratch: scratch.path });
			console.log(component.pid);
			process.exit(0);`;
		const child = spawn(process.execPath, ["--input-type=module", "-e", host], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		let pid = "";
		child.stdout.on("data", (chunk) => (pid += chunk));
		await new Promise((resolve) => child.once("close", resolve));
		expect(Number(pid)).toBeGreaterThan(0);
		expect(readdirSync(base)).toEqual([]);
		await until(() => !isAlive(Number(pid)));
	});
});
