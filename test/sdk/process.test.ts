/** Run SDK/1 section 1, Run/1 sections 1 and 9: the SDK in a process of its own, its host nothing but pipes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { encodeUtf8 } from "../../src/web.ts";
import { rootRequest } from "./memory-host.ts";
import { component, module, ProcessHost, removeComponents, runtimes } from "./process-host.ts";

afterAll(removeComponents);

const exits = (code: number) => ({ code, signal: null });

describe.each(runtimes)("under $name", (runtime) => {
	const write = (source: string): string => component(source, runtime);
	const start = (path: string, options: { read?: boolean } = {}): ProcessHost =>
		new ProcessHost(path, { ...options, runtime });
	const echo = write(`await handle(async (run) => ({ outcome: "done", output: run.input }));`);
	const waiting = write(`await handle(() => new Promise(() => {}));`);
	describe("a whole Run", () => {
		it("answers, and exits 0 while the host keeps stdin open", async () => {
			const host = start(echo);
			host.run({ name: "Ada" });
			expect(await host.until(1)).toEqual({
				jsonrpc: "2.0",
				id: "host:1",
				result: { outcome: "done", output: { name: "Ada" } },
			});
			expect(await host.exit).toEqual(exits(0));
			expect([host.received.length, host.trailing, host.stderr]).toEqual([1, "", ""]);
		});

		it("ends by itself though its host writes late, while it still has something to do", async () => {
			const host = start(
				write(`await handle(async () => ({ outcome: "done", output: null })); setTimeout(() => {}, 400);`),
			);
			host.run();
			await host.until(1);
			setTimeout(() => host.child.stdin.write("what a host may not write\n"), 100);
			expect(await host.exit).toEqual(exits(0));
		});

		it("reads a frame byte by byte, inside its characters too", async () => {
			const host = start(echo);
			host.child.stdin.setDefaultEncoding("latin1");
			const bytes = encodeUtf8(`${JSON.stringify(rootRequest("\u8bfb\u{1F600}"))}\n`);
			for (const byte of bytes) {
				if (!host.child.stdin.write(Uint8Array.of(byte))) await once(host.child.stdin, "drain");
				if (byte > 127) await new Promise((resolve) => setTimeout(resolve, 2));
			}
			expect(await host.until(1)).toMatchObject({ result: { output: "\u8bfb\u{1F600}" } });
			expect(await host.exit).toEqual(exits(0));
		});

		it("takes a frame of exactly 16 MiB, and gives one back", async () => {
			const host = start(
				write(`await handle(async ({ input: [x, y] }) => ({ outcome: "done", output: [x, y.slice(128)] }));`),
			);
			const room = 16_777_216 - encodeUtf8(JSON.stringify(rootRequest(["", ""]))).length;
			const input = ["x".repeat(Math.floor(room / 2)), "y".repeat(Math.ceil(room / 2))] as const;
			host.run(input);
			const { result } = (await host.until(1)) as { result: { output: string[] } };
			expect(result.output.map((text) => text.length)).toEqual([input[0].length, input[1].length - 128]);
			expect(result.output.join("") === input[0] + input[1].slice(128)).toBe(true);
			expect(await host.exit).toEqual(exits(0));
		});

		it("writes a 16 MiB result whole to a reader that starts late", async () => {
			const big = write(
				`await handle(async () => ({ outcome: "done", output: ["x".repeat(8388000), "y".repeat(8388000)] }));`,
			);
			const host = start(big, { read: false });
			host.run();
			await new Promise((resolve) => setTimeout(resolve, 500));
			let size = 0;
			let last = 0;
			host.child.stdout.on("data", (chunk: Buffer) => {
				size += chunk.length;
				last = chunk.at(-1)!;
			});
			expect(await host.exit).toEqual(exits(0));
			expect([size > 16_776_000, last]).toEqual([true, 10]);
		});

		it("hears a cancellation, or the end of its input, while the host doesn't read (Run/1 section 1)", async () => {
			const calling = write(`await handle(async (run) => {
				for (const operationId of ["a", "b", "c"])
					void run.callCapability({ operationId, slot: "s", method: "m", input: "x".repeat(1_000_000) });
				await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
				console.log("heard " + run.signal.reason.code);
				return { outcome: "done", output: null };
			});`);
			for (const [code, act] of [
				["CANCELLED", (host: ProcessHost) => host.cancel()],
				["CHANNEL_LOST", (host: ProcessHost) => host.child.stdin.end()],
			] as const) {
				const host = start(calling, { read: false });
				host.run();
				await new Promise((resolve) => setTimeout(resolve, 500));
				act(host);
				await once(host.child.stderr, "data");
				expect(host.stderr).toContain(`heard ${code}`);
				host.child.kill("SIGKILL");
				await once(host.child, "exit");
			}
		});

		it("makes 1,000 calls on one signal without a warning", async () => {
			const host = start(
				write(`await handle(async (run) => {
				const { signal } = new AbortController();
				let sum = 0;
				for (let index = 0; index < 1000; index += 50) {
					const calls = Array.from({ length: 50 }, (_, offset) => run.callCapability(
						{ operationId: "w:" + (index + offset), slot: "numbers", method: "same", input: index + offset }, { signal }));
					for (const value of await Promise.all(calls)) sum += value;
				}
				return { outcome: "done", output: sum };
			});`),
			);
			host.run();
			for (let index = 0; index < 1_000; index++) {
				const { id, params } = (await host.until(index + 1)) as { id: string; params: { input: number } };
				host.send({ jsonrpc: "2.0", id, result: { value: params.input } });
			}
			expect(await host.until(1_001)).toMatchObject({ result: { output: 499_500 } });
			expect(await host.exit).toEqual(exits(0));
			expect(host.stderr).toBe("");
		});

		it("a handler's failure is its answer, the text is on stderr, the exit is clean", async () => {
			const host = start(write(`await handle(async () => { throw new Error("the tea is cold"); });`));
			host.run();
			expect(await host.until(1)).toMatchObject({ error: { code: -32000, data: { code: "EXECUTION_FAILED" } } });
			expect(await host.exit).toEqual(exits(0));
			expect(host.stderr).toContain("the tea is cold");
		});

		it("leaves the exit code to the author: cleanup failure surfaces through it", async () => {
			const host = start(write(`await handle(async () => ({ outcome: "done", output: null })); process.exitCode = 7;`));
			host.run();
			expect(await host.exit).toEqual(exits(7));
		});
	});

	describe("channels (Run SDK/1 section 9)", () => {
		it("creates one, feeds it, reads it to its end, and hands one end on, over pipes", async () => {
			const host = start(
				write(`await handle(async (run) => {
					const { send, receive } = await run.channel({ schema: true });
					const seen = [];
					const produce = async () => { await send.send(["a"]); await send.close(); };
					const observe = async () => { for await (const value of receive) seen.push(value); };
					await Promise.all([produce(), observe()]);
					const { out } = run.channels;
					await run.runChildFlow({ operationId: "a", slot: "b", input: null, channels: { events: out } });
					return { outcome: "done", output: seen };
				});`),
			);
			host.run(null, { channels: { out: { endpoint: "e:1", direction: "send", delivery: "direct" } } });
			const results: Record<string, unknown[]> = {
				"channel/create": [
					{
						send: { endpoint: "p:s", direction: "send", delivery: "direct" },
						receive: { endpoint: "p:r", direction: "receive", delivery: "direct", startSequence: 1 },
					},
				],
				"channel/send": [null],
				"channel/close": [null],
				"channel/next": [{ item: { sequence: 1, value: ["a"] } }, { end: { lastSequence: 1 } }],
				"flow/run-child": [{ outcome: "done", output: null }],
			};
			for (let count = 1; count <= 6; count++) {
				const { id, method } = await host.until(count);
				host.send({ jsonrpc: "2.0", id, result: results[method as string]!.shift() });
			}
			expect(host.received[5]).toMatchObject({ params: { channels: { events: "e:1" } } });
			expect(await host.until(7)).toMatchObject({ id: "host:1", result: { output: [["a"]] } });
			expect(await host.exit).toEqual(exits(0));
		});

		it("the end of its input while a read waits ends the component with 1", async () => {
			const host = start(
				write(`await handle(async (run) => {
					await run.channels.in.next().catch((error) => console.error(error.code));
					run.channels.in.return();
					return { outcome: "done", output: null };
				});`),
			);
			const grant = { endpoint: "e:1", direction: "receive", delivery: "direct", startSequence: 1 };
			host.run(null, { channels: { in: grant } });
			await host.until(1);
			host.child.stdin.end();
			expect(await host.exit).toEqual(exits(1));
			expect(host.stderr.match(/CHANNEL_LOST/g)?.length).toBeGreaterThan(0);
		});
	});

	describe("the ends that aren't success", () => {
		it("invalid root params: -32602, then exit 0", async () => {
			const host = start(echo);
			host.run(null, { protocol: "run/2" });
			expect(await host.until(1)).toMatchObject({ id: "host:1", error: { code: -32602 } });
			expect(await host.exit).toEqual(exits(0));
			expect(host.received).toHaveLength(1);
		});

		it("end of input before a request: exit 1, nothing written", async () => {
			const host = start(echo);
			host.child.stdin.end();
			expect(await host.exit).toEqual(exits(1));
			expect([host.received.length, host.trailing]).toEqual([0, ""]);
			expect(host.stderr).toContain("OperationError");
		});

		it("end of input during the handler: exit 1, nothing written", async () => {
			const host = start(waiting);
			host.run();
			host.child.stdin.end();
			expect(await host.exit).toEqual(exits(1));
			expect([host.received.length, host.trailing]).toEqual([0, ""]);
		});

		it("exit 1 too where the author swallowed the rejection", async () => {
			const host = start(write(`await handle(() => new Promise(() => {})).catch(() => {});`));
			host.run();
			host.child.stdin.end();
			expect(await host.exit).toEqual(exits(1));
		});

		it("a broken frame: -32700 flushed, exit 1, with stdin still open", async () => {
			const host = start(waiting);
			host.run();
			host.child.stdin.write("{}{}\n");
			expect(await host.until(1)).toMatchObject({ id: null, error: { code: -32700 } });
			expect(await host.exit).toEqual(exits(1));
			expect(host.stderr).toContain("OperationError");
		});

		it("root cancellation: CANCELLED, exit 0", async () => {
			const host = start(
				write(`await handle(async (run) => {
				await new Promise((resolve) => { run.signal.addEventListener("abort", resolve); console.log("ready"); });
				return { outcome: "done", output: null };
			});`),
			);
			host.run();
			await once(host.child.stderr, "data");
			host.cancel();
			expect(await host.until(1)).toMatchObject({ error: { data: { code: "CANCELLED" } } });
			expect(await host.exit).toEqual(exits(0));
		});

		it("a closed stdout is CHANNEL_LOST and no crash", async () => {
			const host = start(
				write(`let code = "none";
			try {
				await handle(async (run) => {
					await new Promise((resolve) => setTimeout(resolve, 200));
					return { outcome: "done", output: "x".repeat(1000000) };
				});
			} catch (error) { code = error.code; }
			console.error("ended with " + code);`),
			);
			host.run();
			host.child.stdout.destroy();
			expect(await host.exit).toEqual(exits(1));
			expect(host.stderr).toBe("ended with CHANNEL_LOST\n");
		});

		it("a closed stderr changes nothing", async () => {
			const host = start(
				write(`await handle(async () => {
				await new Promise((resolve) => setTimeout(resolve, 200));
				for (let index = 0; index < 100; index++) console.log("nobody listens");
				throw new Error("nor to this");
			});`),
			);
			host.run();
			host.child.stderr.destroy();
			expect(await host.until(1)).toMatchObject({ error: { data: { code: "EXECUTION_FAILED" } } });
			expect(await host.exit).toEqual(exits(0));
		});

		it("a killed host takes its component along", async () => {
			const [executable, ...parts] = runtime.command;
			const middle = component(`
			import { spawn } from "node:child_process";
			const child = spawn(${JSON.stringify(executable)}, ${JSON.stringify([...parts, waiting])}, { stdio: "pipe" });
			child.stdin.write(${JSON.stringify(`${JSON.stringify(rootRequest())}\n`)});
			setTimeout(() => console.log(child.pid), 300);
			setInterval(() => {}, 1000);`);
			const host = spawn(process.execPath, [middle], { stdio: ["ignore", "pipe", "ignore"] });
			const [line] = await once(host.stdout, "data");
			const pid = Number(String(line));
			expect(process.kill(pid, 0)).toBe(true);
			host.kill("SIGKILL");
			await expect
				.poll(
					() => {
						try {
							return process.kill(pid, 0);
						} catch {
							return false;
						}
					},
					{ timeout: 5_000 },
				)
				.toBe(false);
		});
	});

	describe("the console (Run SDK/1 section 1)", () => {
		it("every method writes to stderr, during the handler and after handle returned", async () => {
			const host = start(
				write(`
			const speak = (word) => {
				console.log("log", word); console.info("info"); console.debug("debug"); console.warn("warn"); console.error("error");
				console.dir({ dir: 1 }); console.dirxml("dirxml"); console.table([{ table: 1 }]); console.trace("trace");
				console.group("group"); console.groupCollapsed("collapsed"); console.groupEnd(); console.groupEnd();
				console.count("count"); console.countReset("count"); console.assert(false, "assert");
				console.time("time"); console.timeLog("time"); console.timeEnd("time"); console.timeStamp("stamp");
				console.profile("profile"); console.profileEnd("profile"); console.clear();
			};
			await handle(async () => { speak("during"); return { outcome: "done", output: null }; });
			speak("after");`),
			);
			host.run();
			expect(await host.until(1)).toMatchObject({ result: { outcome: "done" } });
			expect(await host.exit).toEqual(exits(0));
			expect([host.received.length, host.trailing]).toEqual([1, ""]);
			for (const word of ["log during", "log after", "info", "debug", "dir: 1", "dirxml", "table", "group"]) {
				expect(host.stderr).toContain(word);
			}
			for (const word of ["collapsed", "count: 1", "Assertion failed: assert", "time: "])
				expect(host.stderr).toContain(word);
		});

		it("a module imported in the handler is redirected, its top level and what it caches", async () => {
			const application = module(
				`console.log("top level"); const { log } = console; export const later = () => log("cached");`,
			);
			const host = start(
				write(`await handle(async () => {
				const { later } = await import(${JSON.stringify(application)});
				later();
				return { outcome: "done", output: null };
			});`),
			);
			host.run();
			await host.until(1);
			expect(await host.exit).toEqual(exits(0));
			expect([host.received.length, host.stderr]).toEqual([1, "top level\ncached\n"]);
		});
	});
});
