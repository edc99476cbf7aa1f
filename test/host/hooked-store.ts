import { memoryOperationStore, type OperationStore, type OperationStoreLimits } from "../../src/host/index.ts";

type Step = "claim" | "begin" | "settle" | "outcome";

/** A store in memory whose every step can be held up, replaced or counted. */
export class HookedStore implements OperationStore {
	readonly hooks: { [step in Step]?: (run: () => Promise<unknown>) => unknown } = {};
	/** `begin op`, `settle op outcome`: what was recorded, in order. */
	readonly log: string[] = [];
	readonly #store: OperationStore;

	constructor(limits?: Partial<OperationStoreLimits>) {
		this.#store = memoryOperationStore({ limits });
	}

	async #step<T>(step: Step, run: () => Promise<T>): Promise<T> {
		const hook = this.hooks[step];
		return (hook === undefined ? await run() : await hook(run)) as T;
	}

	async claim(...[key, binding]: Parameters<OperationStore["claim"]>): ReturnType<OperationStore["claim"]> {
		const answer = await this.#step("claim", () => this.#store.claim(key, binding));
		if (answer.kind !== "claimed") return answer;
		const { claim } = answer;
		return {
			kind: "claimed",
			claim: {
				incarnation: claim.incarnation,
				recorded: claim.recorded,
				begin: (intent) =>
					this.#step("begin", async () => {
						const path = [...intent.scope, intent.operationId].join(" ");
						const came = await claim.begin(intent);
						this.log.push(`begin ${path}${came === "recorded" ? "" : `: ${came}`}`);
						return came;
					}),
				settle: (name, outcome) =>
					this.#step("settle", async () => {
						const path = [...name.scope, name.operationId].join(" ");
						const came = await claim.settle(name, outcome);
						this.log.push(`settle ${path}${came === "recorded" ? ` ${outcome}` : `: ${came}`}`);
						return came;
					}),
				outcome: (name) => this.#step("outcome", () => claim.outcome(name)),
			},
		};
	}

	list(): ReturnType<OperationStore["list"]> {
		return this.#store.list();
	}

	delete(key: string, incarnation?: number): Promise<boolean> {
		return this.#store.delete(key, incarnation);
	}
}

/** A promise that is settled from outside. */
export function gate(): { readonly passed: Promise<void>; open(): void; break(): void } {
	let open: () => void = () => undefined;
	let fail: (error: Error) => void = () => undefined;
	const passed = new Promise<void>((resolve, reject) => {
		open = resolve;
		fail = reject;
	});
	return { passed, open: () => open(), break: () => fail(new Error("the disk is gone")) };
}
