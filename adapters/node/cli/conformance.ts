import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type CaseVerdict, type ConformanceCase, expandRules, judge, type Suite } from "../../../conformance/corpus.ts";
import { answerLine, createDriver } from "../../../conformance/driver.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { digestPackage, inspectPackage } from "../packages.ts";
import { nodeSha256 } from "../sha256.ts";
import { type Output, paint, write } from "./output.ts";

/** The corpus lies in the package beside `dist`. */
const CASES = fileURLToPath(new URL("../../../../conformance/cases/", import.meta.url));

/** How long one case may take before the driver counts as stuck. */
const CASE_MS = 60_000;

/** Every suite of the corpus, in the order of their file names. */
export function loadSuites(): Suite[] {
	return readdirSync(CASES)
		.filter((name) => name.endsWith(".json"))
		.sort()
		.map((name) => JSON.parse(readFileSync(`${CASES}${name}`, "utf8")) as Suite);
}

/** `millrace conformance serve`: our own driver on stdio; ends when stdin does. */
export async function serveCommand(): Promise<void> {
	const driver = createDriver({ sha256: nodeSha256, trees: { digestPackage, inspectPackage } });
	for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }))
		if (line !== "") await write(process.stdout, `${await answerLine(driver, line)}\n`);
}

/** `millrace conformance run`: every case of the corpus against a driver; true when none failed. */
export async function conformanceCommand(options: { driver?: string }, output: Output): Promise<boolean> {
	const suites = loadSuites();
	const counts = { passed: 0, failed: 0, tolerated: 0 };
	const failures: { name: string; clause: string; difference: string }[] = [];
	const driver = startDriver(options.driver);
	try {
		for (const suite of suites) {
			const before = { ...counts };
			for (const each of suite.cases) {
				const verdict = await runCase(each, driver);
				counts[verdict.status] += 1;
				if (verdict.status === "passed") continue;
				if (verdict.status === "failed")
					failures.push({ name: each.name, clause: each.clause, difference: verdict.difference! });
				const mark = verdict.status === "failed" ? paint.red("failed") : paint.yellow("other reading");
				output.note("", `${mark} ${each.name} [${each.clause}] ${escapeForDisplay(verdict.difference ?? "")}`);
			}
			output.note(suite.suite, `${counts.passed - before.passed} of ${suite.cases.length} passed`);
		}
	} finally {
		await driver.close();
	}
	await output.answer(`${counts.passed} passed, ${counts.failed} failed, ${counts.tolerated} with another reading`, {
		status: counts.failed === 0 ? "succeeded" : "failed",
		...(counts.failed === 0 ? {} : { code: "CONFORMANCE_FAILED", message: `${counts.failed} cases failed` }),
		...counts,
		failures,
	});
	return counts.failed === 0;
}

async function runCase(each: ConformanceCase, driver: Driver): Promise<CaseVerdict> {
	const answer = await driver.ask(JSON.stringify({ ...(expandRules(each.request) as object), id: each.name }));
	return judge(each, JSON.parse(answer));
}

interface Driver {
	ask(line: string): Promise<string>;
	close(): Promise<void>;
}

function startDriver(commandLine: string | undefined): Driver {
	const [command, ...args] =
		commandLine === undefined
			? [process.execPath, fileURLToPath(new URL("./main.js", import.meta.url)), "conformance", "serve"]
			: splitWords(commandLine);
	const child = spawn(command!, args, { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
	let failure: Error | undefined;
	child.on("error", (error) => {
		failure = new Error(`the driver "${command}" can't be started: ${error.message}`);
	});
	child.stdin.on("error", () => {}); // a driver that died is reported by the missing answer
	return {
		async ask(line) {
			child.stdin.write(`${line}\n`);
			const answer = await withTimeout(lines.next(), CASE_MS, "the driver gave no answer in time");
			if (answer.done) throw failure ?? new Error("the driver ended before it answered");
			return answer.value;
		},
		async close() {
			child.stdin.end();
			child.kill();
		},
	};
}

/** Splits a command line at spaces, keeping quoted parts whole; no shell is involved. */
function splitWords(commandLine: string): string[] {
	const words = commandLine.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
	return words.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
}

function withTimeout<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
	let timer: NodeJS.Timeout;
	const expired = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(message)), ms);
	});
	return Promise.race([work, expired]).finally(() => clearTimeout(timer));
}
