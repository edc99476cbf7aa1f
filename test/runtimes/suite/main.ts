import "./globals.ts";
import { type File, startTests, type Task, type VitestRunner, type VitestRunnerConfig } from "@vitest/runner";
import * as polyfill from "web-streams-polyfill";

interface Failure {
	readonly test: string;
	readonly message: string;
}

/** Each bundled test file by its path, imported when its turn comes. */
declare const FILES: { readonly [path: string]: () => Promise<unknown> };

/** The corpus, and the tests of what takes or makes a stream: the others can't see whose streams there are. */
const STREAM_FACING = /^test\/(?:conformance|host|package|sdk)\/|^test\/run\/transports/;

interface SuiteOptions {
	/** The runtime's own Web Streams, or web-streams-polyfill in their place. */
	readonly streams: "native" | "polyfill";
	/** The tests of what only a page has, and no others. */
	readonly ofPage?: boolean;
	/** Environment variables of the tests: how long the random ones go on. */
	readonly env?: { readonly [name: string]: string };
	/** Told of each file that is over: a run that hangs is known by the last one. */
	readonly onFile?: (path: string) => void;
}

interface SuiteReport {
	readonly passed: number;
	/** The tests that say themselves that they can't run here. */
	readonly skipped: readonly string[];
	/** Each failed test with what was said, the first line of it at least. */
	readonly failures: readonly Failure[];
}

const CONFIG: VitestRunnerConfig = {
	root: "/",
	setupFiles: [],
	name: undefined,
	passWithNoTests: false,
	testNamePattern: undefined,
	allowOnly: false,
	sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
	chaiConfig: undefined,
	maxConcurrency: 5,
	testTimeout: 60_000,
	hookTimeout: 60_000,
	retry: 0,
	includeTaskLocation: false,
	tags: [],
	tagsFilter: undefined,
	strictTags: false,
};

/** Runs the bundled test files in this runtime, one after the other. */
export async function runSuite(options: SuiteOptions): Promise<SuiteReport> {
	if (options.streams === "polyfill") {
		const { ReadableStream, WritableStream, TransformStream } = polyfill;
		Object.assign(globalThis, { ReadableStream, WritableStream, TransformStream });
	}
	Object.assign(process.env, options.env);
	const report = { passed: 0, skipped: [] as string[], failures: [] as Failure[] };
	const runner: VitestRunner = { config: CONFIG, importFile: (path) => FILES[path]!(), pool: "none" } as VitestRunner;
	const facing = (path: string): boolean => options.streams === "native" || STREAM_FACING.test(path);
	const isOfPage = (path: string): boolean => path.endsWith(".page.ts");
	const wanted = (path: string): boolean => (options.ofPage ? isOfPage(path) : facing(path) && !isOfPage(path));
	for (const path of Object.keys(FILES).filter(wanted)) {
		for (const file of await startTests([path], runner)) count(file, path, report);
		options.onFile?.(path);
	}
	return report;
}

function count(
	task: File | Task,
	name: string,
	report: { passed: number; skipped: string[]; failures: Failure[] },
): void {
	const state = task.result?.state;
	for (const error of task.result?.errors ?? []) {
		const cause = error.cause === undefined ? "" : `\n${(error.cause as { message?: string }).message}`;
		const place = error.stack?.split("\n").slice(0, 4).join("\n") ?? "";
		report.failures.push({ test: name, message: `${error.message}${cause}\n${place}`.slice(0, 2_000) });
	}
	if (task.type === "suite") {
		for (const each of task.tasks) count(each, `${name} > ${each.name}`, report);
	} else if (state === "pass") report.passed += 1;
	else if (state !== "fail") report.skipped.push(name);
}
