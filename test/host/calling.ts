import type { FakeComponent, Script } from "./fake.ts";

/** The members of a call's params that a test chooses; a `method` makes it a capability call. */
export interface Call {
	readonly slot?: string;
	readonly method?: string;
	readonly operationId?: string;
	readonly intent?: string;
	readonly input?: unknown;
	readonly channels?: Record<string, string>;
}

/** Writes one call; its id is its operation id as well, unless the call names another. */
export function request(component: FakeComponent, id: string, call: Call): void {
	const method = call.method === undefined ? "flow/run-child" : "capability/call";
	component.write({ jsonrpc: "2.0", id, method, params: { operationId: id, slot: "helper", input: null, ...call } });
}

/** A parent that makes one call and answers with what came of it. */
export function calling(call: Call): Script {
	return async (component) => {
		const root = await component.next();
		request(component, "c1", call);
		const { result, error } = await component.next();
		const output =
			error === undefined
				? { result }
				: { code: error.data?.code ?? error.code, message: error.message, details: error.data?.details ?? null };
		component.answer(root.id, { outcome: "done", output });
		component.exit(0);
	};
}
