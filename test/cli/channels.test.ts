import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asked, flows, leftIn, millrace, packageOf, start, workspace } from "./command.ts";

const summary = join(flows, "summary");
const station = join(flows, "station");
const READINGS = '{"hour":0,"celsius":1}\n{"hour":1,"celsius":3}\n';
const TWO = ["--input", '{"celsius":[1,3]}'];

/** A package with these ports whose handler is `body`. */
function flow(ports: Record<string, unknown>, body: string): string {
	const channels = Object.entries(ports).map(([name, port]) => `  ${name}: ${JSON.stringify(port)}`);
	const flowMd = ["---", "name: sample", "description: A sample.", "channels:", ...channels, "---", ""].join("\n");
	const code = `import { handle } from "@jigging/flow";\nawait handle(async (run) => { ${body} });\n`;
	return packageOf(code, { "FLOW.md": flowMd });
}

const RECEIVE = { direction: "receive" };
const SEND = { direction: "send" };
const UPPER =
	'const { lines, loud } = run.channels; for await (const line of lines) await loud.send(line.toUpperCase()); return { outcome: "done", output: "all" };';
const COUNT = 'let n = 0; for await (const _ of run.channels.in) n += 1; return { outcome: "done", output: n };';

describe.concurrent("--channel", () => {
	test("a file or stdin feeds a port that receives, one value per line", async () => {
		const cwd = workspace();
		writeFileSync(join(cwd, "readings.ndjson"), READINGS);
		const expected = { readings: 2, mean: 2, warmest: 3 };
		const file = await asked(["run", summary, "--channel", "readings=readings.ndjson"], { cwd });
		expect(file).toMatchObject({ exitCode: 0, answer: { output: expected } });
		// The last line may lack its end.
		const stdin = await asked(["run", summary, "--channel", "readings=-"], { cwd, input: READINGS.trimEnd() });
		expect(stdin).toMatchObject({ exitCode: 0, answer: { output: expected } });
	});

	test("an empty input is a channel without items", async () => {
		const { answer } = await asked(["run", summary, "--channel", "readings=-"]);
		expect(answer).toMatchObject({ output: { readings: 0 } });
	});

	test("a port that sends writes a new file, for its owner alone, and never over an old one", async () => {
		const cwd = workspace();
		const words = ["run", station, ...TWO, "--channel", "readings=out.ndjson"];
		expect(await asked(words, { cwd })).toMatchObject({ exitCode: 0, answer: { output: 2 } });
		expect(readFileSync(join(cwd, "out.ndjson"), "utf8")).toBe(READINGS);
		expect(statSync(join(cwd, "out.ndjson")).mode & 0o777).toBe(0o600);
		expect(await asked(words, { cwd })).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_EXISTS", path: "out.ndjson" },
		});
	});

	test("with - items go to stdout, and the result to stderr; under --json it is the last line", async () => {
		const words = ["run", station, ...TWO, "--channel", "readings=-"];
		const people = await millrace(words);
		expect(people).toMatchObject({ exitCode: 0, stdout: READINGS });
		expect(people.stderr).toMatch(/^result +2$/m);
		const lines = (await millrace([...words, "--json"])).stdout.trimEnd().split("\n");
		expect(lines.map((line) => JSON.parse(line))).toEqual([
			{ channel: "readings", value: { hour: 0, celsius: 1 } },
			{ channel: "readings", value: { hour: 1, celsius: 3 } },
			expect.objectContaining({ status: "succeeded", output: 2 }),
		]);
	});

	test("a filter: stdin in, stdout out, 20,000 lines", async () => {
		const filter = flow({ lines: RECEIVE, loud: SEND }, UPPER);
		const input = Array.from({ length: 20_000 }, (_, n) => `"line ${n}"\n`).join("");
		const words = ["run", filter, "--channel", "lines=-", "--channel", "loud=-"];
		const { exitCode, stdout } = await millrace(words, { input });
		expect(exitCode).toBe(0);
		expect(stdout).toBe(input.toUpperCase());
	}, 60_000);

	test.each([
		["no JSON", '1\n{"a":\n3\n', "JSON_SYNTAX", 2],
		["a blank line", "1\n\n3\n", "JSON_SYNTAX", 2],
		["a duplicate member", '{"a":1,"a":2}\n', "JSON_DUPLICATE_MEMBER", 1],
		["no UTF-8", Buffer.from([0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a]), "JSON_UTF8", 2],
	])("a line that is no value ends the Run, named by its number: %s", async (_, input, code, line) => {
		const found = await asked(["run", flow({ in: RECEIVE }, COUNT), "--channel", "in=-"], { input });
		expect(found).toMatchObject({ exitCode: 1, answer: { code, source: "stdin", line } });
	});

	test("an item that breaks the port's schema fails the channel, as the Flow sees it", async () => {
		const found = await asked(["run", summary, "--channel", "readings=-"], { input: '{"hour":24,"celsius":1}\n' });
		expect(found).toMatchObject({ exitCode: 1, answer: { code: "INVALID_INPUT" } });
	});

	test("what isn't connected, isn't declared, isn't there or can't be meant is refused before anything starts", async () => {
		const cwd = workspace();
		const ran = (...words: string[]) => asked(["run", ...words], { cwd });
		expect(await ran(summary)).toMatchObject({ exitCode: 1, answer: { code: "CHANNEL_UNCONNECTED" } });
		expect(await ran(summary, "--channel", "other=-")).toMatchObject({
			exitCode: 1,
			answer: { code: "CHANNEL_UNDECLARED" },
		});
		expect(await ran(summary, "--channel", "readings=none")).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_MISSING" },
		});
		expect(await ran(summary, "--channel", `readings=${cwd}`)).toMatchObject({
			exitCode: 1,
			answer: { code: "FILE_KIND" },
		});
		const two = flow({ a: RECEIVE, b: RECEIVE, c: SEND, d: SEND }, 'return { outcome: "done", output: null };');
		for (const words of [
			["--channel", "readings"],
			["--channel", "readings="],
			["--channel", "Readings=-"],
			["--channel", "readings=-", "--channel", "readings=x"],
		]) {
			expect((await millrace(["run", summary, ...words], { cwd })).exitCode).toBe(2);
		}
		for (const words of [
			["--channel", "a=-", "--channel", "b=-"],
			["--channel", "a=-", "--input", "-"],
			["--channel", "c=-", "--channel", "d=-"],
			["--channel", `c=${join(two, "items")}`],
		]) {
			expect((await millrace(["run", two, ...words], { cwd, input: "1" })).exitCode, words.join(" ")).toBe(2);
		}
		expect(existsSync(join(two, "items"))).toBe(false);
	});

	test("an output that got nothing from a Run that failed is removed", async () => {
		const cwd = workspace();
		const failing = flow({ out: SEND }, 'throw new Error("no");');
		expect((await millrace(["run", failing, "--channel", "out=items"], { cwd })).exitCode).toBe(1);
		expect(existsSync(join(cwd, "items"))).toBe(false);
	});

	test("a Flow that stops reading leaves the rest unread, also of an endless stdin", async () => {
		const first = flow(
			{ in: RECEIVE },
			'const { value } = await run.channels.in.next(); await run.channels.in.close(); return { outcome: "done", output: value };',
		);
		const running = start(["run", first, "--channel", "in=-"], { open: true });
		running.process.stdin?.write("1\n2\n3\n");
		const { exitCode, stdout } = await running.finished;
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "1\n" });
	});

	test("SIGINT while waiting for an endless stdin: stopped, nothing left", async () => {
		const running = start(["run", flow({ in: RECEIVE }, COUNT), "--channel", "in=-"], { open: true });
		running.process.stdin?.write("1\n");
		await running.says("started");
		running.process.kill("SIGINT");
		const { exitCode } = await running.finished;
		expect(exitCode).toBe(1);
		expect(leftIn(running.temporary)).toEqual([]);
	});

	test("a reader of stdout that goes away ends the channel, not the command", async () => {
		const endless = flow(
			{ out: SEND },
			'try { for (;;) await run.channels.out.send("x".repeat(1000)); } catch (error) { return { outcome: "done", output: error.code }; }',
		);
		const running = start(["run", endless, "--channel", "out=-"]);
		await running.says("started");
		running.process.stdout?.destroy();
		const { exitCode, stderr } = await running.finished;
		expect(exitCode).toBe(0);
		expect(stderr).toContain("DISCONNECTED");
	});
});
