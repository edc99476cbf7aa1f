import { expect } from "vitest";
import {
	createHost,
	type Host,
	type HostLimits,
	type LoadedPackage,
	type Run,
	RunFailure,
	type RunOptions,
} from "../../src/host/index.ts";
import { FakeRuntime, fakePackage, type Script, settle } from "./fake.ts";

export interface Stage {
	readonly runtime: FakeRuntime;
	readonly host: Host;
	load(script: string, frontmatter?: string, files?: Record<string, string>): Promise<LoadedPackage>;
	/** Runs the package `script` with `input: null` unless told otherwise. */
	run(pack: LoadedPackage, options?: Partial<RunOptions>): Run;
}

/** A host over a fake environment with the given scripts. */
export function arrange(scripts: Record<string, Script>, limits: Partial<HostLimits> = {}): Stage {
	const runtime = new FakeRuntime();
	Object.assign(runtime.scripts, scripts);
	const host = createHost({ runtime, limits });
	return {
		runtime,
		host,
		load: (script, frontmatter, files) => host.load(fakePackage(script, frontmatter, files)),
		run: (pack, options) => host.run(pack, { input: null, ...options }),
	};
}

/** One Run of one script to its end, moving the clock until it has ended. */
export async function runScript(
	script: Script,
	options: Partial<RunOptions> & {
		limits?: Partial<HostLimits>;
		frontmatter?: string;
		files?: Record<string, string>;
	} = {},
): Promise<{ stage: Stage; outcome: unknown; failure: RunFailure | undefined }> {
	const { limits, frontmatter, files, ...running } = options;
	const stage = arrange({ main: script }, limits);
	const pack = await stage.load("main", frontmatter, files);
	const run = stage.run(pack, running);
	const [outcome, failure] = await ending(stage, run);
	expectNothingLeft(stage);
	return { stage, outcome, failure };
}

/** What a Run ends with, the clock moving on as long as it needs to. */
export async function ending(stage: Stage, run: Run): Promise<[outcome: unknown, failure: RunFailure | undefined]> {
	let ended: [unknown, RunFailure | undefined] | undefined;
	run.result.then(
		(report) => {
			ended = [{ outcome: report.outcome, output: report.output }, undefined];
		},
		(error) => {
			expect(error).toBeInstanceOf(RunFailure);
			ended = [undefined, error];
		},
	);
	await settle();
	for (let step = 0; ended === undefined && step < 10_000; step += 1) await stage.runtime.clock.advance(100);
	if (ended === undefined) throw new Error("The Run never ended.");
	return ended;
}

/** No timer, no scratch, no attachment, no component: only stages, which belong to the loaded packages. */
export function expectNothingLeft(stage: Stage): void {
	expect(stage.runtime.clock.pending).toBe(0);
	expect(stage.runtime.left.filter((path) => !path.startsWith("/stage/"))).toEqual([]);
	for (const component of stage.runtime.components) expect(component.fenced).toBe(1);
}

/** A component that answers its root with `result` and exits 0. */
export function answering(result: unknown): Script {
	return async (component) => {
		const root = await component.next();
		component.answer(root.id, result);
		component.exit(0);
	};
}

export const DONE = { outcome: "done", output: null };
