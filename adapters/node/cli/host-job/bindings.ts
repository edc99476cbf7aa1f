import { existsSync, writeFileSync } from "node:fs";
import type {
	CapabilityProvider,
	ChildTarget,
	ContextOptions,
	LoadedPackage,
	ProviderAnswer,
	ProviderCall,
} from "../../../../src/host/index.ts";
import type { JsonObject } from "../../../../src/json/index.ts";
import { useChannels } from "./channels.ts";
import type { JobAnswer, JobContext, JobProvider } from "./job.ts";

const POLL_MS = 10;

/** Makes what a job describes into what our host takes, and keeps what its providers were called with. */
export class Bindings {
	readonly calls: JsonObject[] = [];
	readonly #load: (path: string) => Promise<LoadedPackage>;
	#stopped = false;

	constructor(load: (path: string) => Promise<LoadedPackage>) {
		this.#load = load;
	}

	/** Providers that still wait end with the job. */
	stop(): void {
		this.#stopped = true;
	}

	async context({ settings, attachments, children, capabilities }: JobContext): Promise<ContextOptions> {
		const targets: [string, ChildTarget][] = [];
		for (const [slot, child] of Object.entries(children))
			targets.push([slot, { ...(await this.context(child)), package: await this.#load(child.package) }]);
		return {
			settings,
			attachments,
			children: Object.fromEntries(targets),
			capabilities: Object.fromEntries(
				Object.entries(capabilities).map(([slot, provider]) => [slot, this.#provider(provider)]),
			),
		};
	}

	#provider({ contract, answers }: JobProvider): CapabilityProvider {
		return {
			...(contract === undefined ? {} : { contract }),
			call: async (call) => {
				const { slot, method, operationId, input, signal } = call;
				const seen: Record<string, JsonObject[string]> = { slot, method, operationId, input };
				this.calls.push(seen);
				signal.addEventListener("abort", () => {
					seen.stopped = true;
				});
				const answer = answers.find((each) => fits(each, call));
				if (answer === undefined) throw new Error(`no answer is prepared for ${method}`);
				if (answer.makesFile !== undefined) writeFileSync(answer.makesFile, "");
				const received = await useChannels(answer, call.channels);
				if (received !== undefined) seen.received = received;
				await this.#wait(answer, call);
				return given(answer, call);
			},
		};
	}

	async #wait({ delayMs = 0, afterFile }: JobAnswer, { signal }: ProviderCall): Promise<void> {
		const due = performance.now() + delayMs;
		while (performance.now() < due || (afterFile !== undefined && !existsSync(afterFile))) {
			if (signal.aborted || this.#stopped) throw new Error("stopped");
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		}
	}
}

function fits(answer: JobAnswer, { method, operationId }: ProviderCall): boolean {
	return (answer.method ?? method) === method && (answer.operationId ?? operationId) === operationId;
}

function given(answer: JobAnswer, { input }: ProviderCall): ProviderAnswer {
	if (answer.crash === true) throw new Error("The provider crashed.");
	if (answer.failure !== undefined) throw Object.assign(new Error(answer.failure.message), answer.failure);
	if (answer.echo === true) return { value: input };
	if (answer.error !== undefined) return { error: answer.error };
	return (answer.raw === undefined ? { value: answer.value ?? null } : answer.raw) as ProviderAnswer;
}
