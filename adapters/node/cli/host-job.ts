import { readFileSync } from "node:fs";
import { createHost, HOST_LIMITS, type HostLimits, type LoadedPackage } from "../../../src/host/index.ts";
import type { JsonObject, JsonValue } from "../../../src/json/index.ts";
import { directory } from "../directory.ts";
import { nodeRuntime } from "../runtime.ts";
import { Bindings } from "./host-job/bindings.ts";
import { watchCancellation } from "./host-job/cancellation.ts";
import { RootChannels } from "./host-job/channels.ts";
import type { Job } from "./host-job/job.ts";
import { write } from "./output.ts";

/** `millrace conformance host-job JOBFILE`: our host behind the adapter contract (HOST.md); writes the one answer line. */
export async function hostJobCommand(jobFile: string): Promise<void> {
	await write(process.stdout, `${JSON.stringify(await runJob(jobFile))}\n`);
}

/** Runs one job on our host and gives its answer; never rejects because of the job's packages or components. */
export async function runJob(jobFile: string, temporary?: string): Promise<JsonObject> {
	const job = JSON.parse(readFileSync(jobFile, "utf8")) as Job;
	const runtime = nodeRuntime({
		trustReadWriteAttachments: true,
		...(temporary === undefined ? {} : { temporary }),
	});
	const host = createHost({ runtime, limits: limitsOf(job) });
	const loaded = new Map<string, LoadedPackage>();
	const load = async (path: string): Promise<LoadedPackage> => {
		const known = loaded.get(path);
		if (known !== undefined) return known;
		const pack = await host.load(directory(path));
		loaded.set(path, pack);
		return pack;
	};
	const bindings = new Bindings(load);
	const channels = new RootChannels(job.channels);
	const controller = new AbortController();
	const stopWatching = watchCancellation(job.cancel, () => controller.abort());
	try {
		const pack = await load(job.package);
		const run = host.run(pack, {
			...(await bindings.context(job)),
			input: job.input,
			deadlineMs: job.deadlineMs,
			channels: channels.ports,
			signal: controller.signal,
		});
		const { outcome, output } = await run.result;
		return { status: "accepted", outcome, output, calls: bindings.calls, channels: await channels.report() };
	} catch (error) {
		return { ...refusal(error), calls: bindings.calls, channels: await channels.report() };
	} finally {
		stopWatching();
		bindings.stop();
		for (const pack of loaded.values()) await pack.dispose();
	}
}

/** What the job's limits are called here; the kit names what it needs small, never what it needs large. */
const LIMITS: { readonly [name: string]: readonly (keyof HostLimits)[] } = {
	graceMs: ["cancelGraceMs", "killGraceMs", "exitGraceMs"],
	stdoutBytes: ["stdoutBytes"],
	stderrBytes: ["stderrBytes"],
	concurrentChildren: ["concurrentChildren"],
	childDepth: ["childDepth"],
};

function limitsOf({ limits: given = {}, deadlineMs }: Job): Partial<HostLimits> {
	const limits: Partial<Record<keyof HostLimits, number>> = {
		maxDeadlineMs: Math.max(deadlineMs, HOST_LIMITS.maxDeadlineMs),
	};
	for (const [name, value] of Object.entries(given)) for (const each of LIMITS[name] ?? []) limits[each] = value;
	return limits;
}

function refusal(error: unknown): { readonly [name: string]: JsonValue } {
	const { code, phase, message } = error as { code?: unknown; phase?: unknown; message?: unknown };
	if (typeof code !== "string" || typeof phase !== "string") throw error;
	return { status: "refused", code, phase, message: String(message) };
}
