import { spawn } from "node:child_process";
import { readdirSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
	flows,
	leftIn,
	main,
	millrace,
	packageOf,
	processesWith,
	type Running,
	start,
	until,
	workspace,
} from "./command.ts";

/** A component that says when it is there, and never answers. */
const PATIENT = `process.stdin.resume(); console.error("ready");`;
/** One that won't listen to anybody; only a kill ends it. */
const STUBBORN = `process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); process.stdin.resume(); setInterval(() => {}, 1000); console.error("ready");`;

async function running(source: string, words: readonly string[] = []): Promise<Running> {
	const command = start(["run", packageOf(source), "--stderr", "--deadline", "60s", ...words]);
	await command.says("ready");
	expect(processesWith(command.temporary).length).toBeGreaterThan(0);
	return command;
}

/** Nothing of the command is left: no stage, no scratch, no process. */
async function expectNothingLeft({ temporary }: Running): Promise<void> {
	await until(() => processesWith(temporary).length === 0);
	expect(leftIn(temporary)).toEqual([]);
}

describe.skipIf(process.platform !== "linux")(
	"one signal cancels, fences, cleans up and exits 1",
	{ concurrent: true },
	() => {
		test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s", async (signal) => {
			const command = await running(PATIENT);
			command.process.kill(signal);
			const { exitCode, stdout, stderr } = await command.finished;
			expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
			expect(stderr).toContain(`${signal}: stopping; send it again to kill at once`);
			expect(stderr).toMatch(/^failed {4}CANCELLED: /m);
			expect(stderr).toMatch(new RegExp(`^because {3}INTERRUPTED: interrupted by ${signal}$`, "m"));
			await expectNothingLeft(command);
		});

		test("a component that won't stop is killed, and machines are told", async () => {
			const command = await running(STUBBORN, ["--json"]);
			command.process.kill("SIGINT");
			const { exitCode, stdout } = await command.finished;
			expect(exitCode).toBe(1);
			expect(JSON.parse(stdout)).toMatchObject({ status: "failed", code: "CANCELLED", phase: "run" });
			await expectNothingLeft(command);
		});

		test("children end with their parent", async () => {
			const parent = `import { handle } from "@jigging/flow";
			await handle(async (run) => { await run.runChildFlow({ operationId: "a", slot: "child", input: null }); return { outcome: "done", output: 1 }; });`;
			const child = packageOf(
				`${STUBBORN.replace(' console.error("ready");', "")} import("node:fs").then(({ writeFileSync }) => writeFileSync(process.cwd() + "/here", ""));`,
			);
			const command = start(["run", packageOf(parent), "--child", `child=${child}`, "--trace", join(workspace(), "t")]);
			await until(() => processesWith(command.temporary).length === 2);
			command.process.kill("SIGTERM");
			expect((await command.finished).exitCode).toBe(1);
			await expectNothingLeft(command);
		});

		test("while a package is loaded or digested", async () => {
			const dir = packageOf("");
			// Long enough to be hit in the middle, without taking space.
			writeFileSync(join(dir, "large"), "");
			truncateSync(join(dir, "large"), 1_000_000_000);
			for (const name of ["digest", "inspect", "run"]) {
				const command = start([name, dir, "--json"]);
				await until(() => commandHasOpened(command, "large"));
				command.process.kill("SIGINT");
				const { exitCode, stdout } = await command.finished;
				expect(exitCode).toBe(1);
				expect(JSON.parse(stdout)).toMatchObject({ status: "failed", code: "PACKAGE_ABORTED" });
				await expectNothingLeft(command);
			}
		});
	},
);

describe.skipIf(process.platform !== "linux")("a second signal kills at once", { concurrent: true }, () => {
	test.each([
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const)("%s exits %i", async (signal, code) => {
		const command = await running(STUBBORN);
		command.process.kill(signal);
		await command.says("stopping");
		command.process.kill(signal);
		const { exitCode, stdout } = await command.finished;
		expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
		await expectNothingLeft(command);
	});
});

describe.skipIf(process.platform !== "linux")("a command that is killed", { concurrent: true }, () => {
	test("takes its component with it: that one sees the end of its stdin", async () => {
		const handler = `import { handle } from "@jigging/flow";
			await handle(async (run) => { console.error("ready"); await new Promise((resolve) => run.signal.addEventListener("abort", resolve)); return { outcome: "done", output: 1 }; });`;
		const command = await running(handler);
		command.process.kill("SIGKILL");
		expect((await command.finished).signal).toBe("SIGKILL");
		await until(() => processesWith(command.temporary).length === 0);
	});

	test("while it waits for its input there is nothing to undo: the signal ends it", async () => {
		const waiting = spawn(process.execPath, [main, "run", join(flows, "greet"), "--input", "-"], {
			stdio: ["pipe", "ignore", "ignore"],
		});
		await new Promise((resolve) => setTimeout(resolve, 700));
		waiting.kill("SIGINT");
		expect(await new Promise((resolve) => waiting.once("exit", (_, signal) => resolve(signal)))).toBe("SIGINT");
	});
});

test("a Run that ends by itself leaves nothing either", async () => {
	const temporary = workspace();
	await millrace(["run", join(flows, "greet"), "--input", '{"name":"Ada"}'], { temporary });
	expect(leftIn(temporary)).toEqual([]);
});

/** Whether the process holds a file of this name open, where the system shows it. */
function commandHasOpened({ process: { pid } }: Running, name: string): boolean {
	try {
		return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`).endsWith(`/${name}`));
	} catch {
		return process.platform !== "linux";
	}
}

function linkOf(path: string): string {
	try {
		return readlinkSync(path);
	} catch {
		return "";
	}
}
