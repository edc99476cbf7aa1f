import { describe, expect, it } from "vitest";
import { isToken } from "../../../src/grammar/index.ts";
import { end, holders, item, RECEIVE, SEND, schema, Tree } from "./harness.ts";

describe("Run/1 section 5.1: endpoint possession", () => {
	it("names endpoints and sources by tokens, each once in the whole tree", () => {
		const { parent, child } = holders();
		const references: string[] = [];
		for (const holder of [parent, child]) {
			for (let i = 0; i < 3; i++) {
				references.push(...Object.values(holder.direct()));
				const { send, source } = holder.broadcast();
				references.push(send, source, holder.reader(source));
			}
		}
		expect(references.every(isToken)).toBe(true);
		expect(new Set(references).size).toBe(references.length);
	});

	it.each(["send", "next", "close", "release"] as const)("gives another participant nothing: %s", (method) => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		const outcomes = [send, receive, "never-made"].map((reference) => {
			const answer = child[method](reference);
			return typeof answer === "string" ? answer : (answer as { answer: unknown }).answer;
		});
		expect(outcomes).toEqual(["PERMISSION_DENIED", "PERMISSION_DENIED", "PERMISSION_DENIED"]);
	});

	it("grants the indicated direction only", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		expect(parent.send(receive, 1).answer).toBe("PERMISSION_DENIED");
		expect(parent.close(receive)).toBe("PERMISSION_DENIED");
		expect(parent.next(send).answer).toBe("PERMISSION_DENIED");
		expect(parent.release(send)).toBe("PERMISSION_DENIED");
		// None of it was a use: both may move still.
		expect(parent.give(child, { a: send, b: receive }, { a: SEND, b: RECEIVE })).toHaveProperty("a");
	});

	it("doesn't read names that every object inherits for rights", () => {
		const { parent } = holders();
		for (const name of ["constructor", "__proto__", "toString"]) {
			expect(parent.send(name, 1).answer).toBe("PERMISSION_DENIED");
			expect(parent.subscribe(name)).toBe("PERMISSION_DENIED");
		}
	});

	it("moves within one broker only", () => {
		const { parent } = holders();
		expect(() => parent.give(new Tree().holder(), {}, {})).toThrow(TypeError);
	});

	it("keeps the reference of a moved endpoint, and denies it to the one that gave it away", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct();
		expect(parent.hand(child, send, SEND)).toBe(send);
		expect(parent.send(send, 1).answer).toBe("PERMISSION_DENIED");
		expect(parent.close(send)).toBe("PERMISSION_DENIED");
		expect(parent.give(child, { port: send }, { port: SEND })).toBe("PERMISSION_DENIED");
		expect(child.send(send, 1).answer).toBe(null);
		expect(parent.next(receive).answer).toEqual(item(1, 1));
	});

	it.each([
		["send", "send"],
		["close", "send"],
		["next", "receive"],
		["release", "receive"],
	] as const)("is claimed by its first local use: %s", (method, end) => {
		const { parent, child } = holders();
		const pair = parent.direct();
		parent[method](pair[end]);
		const over = method === "close" || method === "release";
		const port = end === "send" ? SEND : RECEIVE;
		expect(parent.give(child, { port: pair[end] }, { port })).toBe(over ? "DISCONNECTED" : "PERMISSION_DENIED");
	});

	it("is claimed by a use that fails as well", () => {
		const { parent, child } = holders();
		const { send } = parent.direct({ schema: schema(true) });
		const other = parent.direct();
		parent.release(other.receive);
		expect(parent.send(other.send, 1).answer).toBe("DISCONNECTED");
		expect(parent.give(child, { port: other.send }, { port: SEND })).toBe("PERMISSION_DENIED");
		expect(parent.hand(child, send, SEND)).toBe(send);
	});

	it("lets an endpoint that was moved and not used move on", () => {
		const { tree, parent, child } = holders();
		const grandchild = tree.holder();
		const { send, receive } = parent.direct();
		child.hand(grandchild, parent.hand(child, send, SEND), SEND);
		expect(child.send(send, 1).answer).toBe("PERMISSION_DENIED");
		grandchild.send(send, 1);
		grandchild.close(send);
		expect([parent.next(receive).answer, parent.next(receive).answer]).toEqual([item(1, 1), end(1)]);
	});
});

describe("Run/1 section 1: what settling the held endpoints needs", () => {
	it("counts every endpoint held and not settled", () => {
		const { parent, child } = holders();
		expect(parent.reserve).toBe(0);
		const { send, receive } = parent.direct();
		const { source } = parent.broadcast();
		const reader = parent.reader(source);
		expect(parent.reserve).toBe(4);
		parent.hand(child, send, SEND);
		expect([parent.reserve, child.reserve]).toEqual([3, 1]);
		child.close(send);
		expect(child.reserve).toBe(0);
		parent.next(receive);
		expect(parent.reserve).toBe(2);
		parent.release(reader);
		expect(parent.reserve).toBe(1);
	});

	it("counts a receiver until its cause was told, and a sender until nothing is left to close", () => {
		const { parent, child } = holders();
		const { send, receive } = parent.direct({ schema: schema({ type: "number" }) });
		parent.hand(child, send, { ...SEND });
		child.send(send, "text");
		expect([parent.reserve, child.reserve]).toEqual([1, 0]);
		parent.next(receive);
		expect(parent.reserve).toBe(0);
		const other = parent.direct();
		parent.hand(child, other.send, SEND);
		const read = parent.next(other.receive);
		read.cancel();
		// Its disposal is still to be asked for: the component drains the read and releases.
		expect([parent.reserve, child.reserve]).toEqual([1, 0]);
		parent.release(other.receive);
		expect(parent.reserve).toBe(0);
	});
});
