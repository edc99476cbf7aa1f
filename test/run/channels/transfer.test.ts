import { describe, expect, it } from "vitest";
import type { ContractIdentity } from "../../../src/contract/index.ts";
import type { PortTerms } from "../../../src/run/index.ts";
import { METHODS } from "../../../src/run/methods.ts";
import { end, type Holder, holders, item, RECEIVE, SEND, schema, Tree } from "./harness.ts";

type Port = Partial<PortTerms>;

const NUMBER = schema({ type: "number" });
const TEXT = schema({ type: "string" });
const identity = (version: string, id = "https://example.org/updates"): ContractIdentity => ({
	id,
	version,
	digest: `sha256:${"a".repeat(64)}`,
});
const NAMED = { contract: identity("1.0.0"), schema: NUMBER };

const send = (terms: Port = {}): Port => ({ ...SEND, ...terms });
const receive = (terms: Port = {}): Port => ({ ...RECEIVE, ...terms });

/** Whether one endpoint may move to a port: `moved`, or the code that refuses it. */
function move(from: Holder, to: Holder, endpoint: string, port: Port): string {
	const moved = from.give(to, { port: endpoint }, { port });
	return typeof moved === "string" ? moved : "moved";
}

describe("Run/1 section 5.1: a map moves rights and makes grants", () => {
	it("gives each port the grant of its endpoint, in the order of names", () => {
		const { parent, child } = holders();
		const pair = parent.direct(NAMED);
		const { source } = parent.broadcast();
		const grants = parent.give(
			child,
			{ out: pair.send, in: pair.receive, constructor: parent.reader(source) },
			{ out: send(NAMED), in: receive(), constructor: receive() },
		);
		expect(grants).toEqual({
			constructor: { endpoint: "receive:3", direction: "receive", delivery: "broadcast", startSequence: 1 },
			in: {
				endpoint: "receive:1",
				direction: "receive",
				delivery: "direct",
				startSequence: 1,
				contract: NAMED.contract,
			},
			out: { endpoint: "send:1", direction: "send", delivery: "direct", contract: NAMED.contract },
		});
		const params = { protocol: "run/1", input: 1, settings: {}, attachments: {}, scratch: "/", deadlineUnixMs: 1 };
		expect(METHODS.get("flow/run")?.params({ ...params, channels: grants })).toBeUndefined();
	});

	it("moves nothing for an empty map where nothing is required", () => {
		const { parent, child } = holders();
		expect(parent.give(child, {}, { a: send({ required: false }) })).toEqual({});
		expect(parent.give(child, {}, {})).toEqual({});
	});

	it("refuses an undeclared name, an unconnected required port, and one endpoint twice", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		expect(parent.give(child, { other: pair.send }, {})).toBe("INVALID_INPUT");
		expect(parent.give(child, { a: pair.send }, { a: send(), b: receive() })).toBe("INVALID_INPUT");
		expect(parent.give(child, { a: pair.send, b: pair.send }, { a: send(), b: send() })).toBe("INVALID_INPUT");
		expect(move(parent, child, pair.send, send())).toBe("moved");
	});

	it("refuses the other direction and the other delivery, and takes either where none is declared", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const wide = parent.broadcast();
		expect(move(parent, child, pair.send, receive())).toBe("INVALID_INPUT");
		expect(move(parent, child, pair.receive, send())).toBe("INVALID_INPUT");
		expect(move(parent, child, pair.send, send({ delivery: "broadcast" }))).toBe("INVALID_INPUT");
		expect(move(parent, child, wide.send, send({ delivery: "direct" }))).toBe("INVALID_INPUT");
		expect(move(parent, child, pair.send, send({ delivery: "direct" }))).toBe("moved");
		expect(move(parent, child, pair.receive, receive())).toBe("moved");
		expect(move(parent, child, wide.send, send({ delivery: "broadcast" }))).toBe("moved");
	});

	it("gives a beginning receiver sequence one, and a suffix receiver any start", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		const first = parent.reader(source);
		parent.send(writer, 1);
		const late = parent.reader(source);
		expect(move(parent, child, late, receive({ start: "beginning" }))).toBe("INVALID_INPUT");
		expect(move(parent, child, late, receive({ start: "suffix" }))).toBe("moved");
		// An item was accepted since, and it still starts at one.
		expect(move(parent, child, first, receive({ start: "beginning" }))).toBe("moved");
		expect(move(parent, child, parent.direct().receive, receive({ start: "suffix" }))).toBe("moved");
	});

	it("changes nothing when anything is refused, whichever entry it is", () => {
		for (const bad of ["a", "z"]) {
			const { parent, child } = holders();
			const pair = parent.direct();
			const other = parent.direct();
			const map = { m: pair.send, [bad]: other.receive };
			expect(parent.give(child, map, { m: send({ schema: NUMBER }), [bad]: send() })).toBe("INVALID_INPUT");
			expect(child.reserve).toBe(0);
			// The right is here, unclaimed, and the schema of the refused port binds nobody.
			expect(move(parent, child, pair.send, send({ schema: TEXT }))).toBe("moved");
			expect(child.send(pair.send, "text").answer).toBe(null);
		}
	});

	it.each<[string, string[], string]>([
		["not held, over, used and unfit", ["unknown", "gone", "used", "unfit"], "PERMISSION_DENIED"],
		["over, used and unfit", ["gone", "used", "unfit"], "DISCONNECTED"],
		["used and unfit", ["used", "unfit"], "PERMISSION_DENIED"],
		["unfit", ["unfit"], "INVALID_INPUT"],
	])("asks the same questions first in any order of the map: %s", (_, kinds, code) => {
		const { parent, child } = holders();
		const [used, unfit, gone] = [parent.direct(), parent.direct(), parent.direct()];
		parent.send(used.send, 1);
		parent.release(gone.receive);
		const references = { used: used.send, unfit: unfit.send, gone: gone.receive, unknown: "unknown" };
		const ports = { used: send(), unfit: receive(), gone: receive(), unknown: send() };
		const pick = <T>(from: Record<string, T>, names: string[]): Record<string, T> =>
			Object.fromEntries(names.map((name) => [name, from[name]!]));
		for (const names of [kinds, kinds.toReversed()]) {
			expect(parent.give(child, pick(references, names), pick(ports, kinds))).toBe(code);
		}
	});

	it("refuses a map of a participant that is over, and one to it", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		child.end();
		expect(move(parent, child, pair.send, send())).toBe("OWNER_CLOSED");
		const { parent: other, child: callee } = holders();
		const { send: writer } = other.direct();
		other.finalise();
		expect(move(other, callee, writer, send())).toBe("OWNER_CLOSED");
	});

	it("refuses more endpoints than the callee may get, and none of them moves", () => {
		const tree = new Tree();
		const [parent, child] = [tree.holder(), tree.holder({ endpoints: 1 })];
		const pair = parent.direct();
		const ports = { a: send(), b: receive() };
		expect(parent.give(child, { a: pair.send, b: pair.receive }, ports)).toBe("RESOURCE_EXHAUSTED");
		expect(move(parent, child, pair.send, send())).toBe("moved");
		expect(move(parent, child, pair.receive, receive())).toBe("RESOURCE_EXHAUSTED");
	});
});

describe("Run/1 section 5.1: what is over can't move", () => {
	it("refuses endpoints of a failed source and a sealed sender with DISCONNECTED", () => {
		const { parent, child } = holders();
		const [failed, sealed, wide] = [parent.direct({ schema: NUMBER }), parent.direct(), parent.broadcast()];
		parent.send(failed.send, "text");
		parent.close(sealed.send);
		parent.close(wide.send);
		expect(move(parent, child, failed.send, send())).toBe("DISCONNECTED");
		expect(move(parent, child, failed.receive, receive())).toBe("DISCONNECTED");
		expect(move(parent, child, sealed.send, send())).toBe("DISCONNECTED");
		expect(move(parent, child, wide.send, send())).toBe("DISCONNECTED");
	});

	it("lets the receiver of a sealed source go, with what it has to drain", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		parent.send(pair.send, 1);
		parent.close(pair.send);
		const reader = parent.hand(child, pair.receive, receive());
		expect([child.next(reader).answer, child.next(reader).answer]).toEqual([item(1, 1), end(1)]);
	});

	it("refuses a receiver that is disposed, lagged or ended", () => {
		const { parent, child } = holders({ readerItems: 1 });
		const { send: writer, source } = parent.broadcast();
		const [disposed, lagged] = [parent.reader(source), parent.reader(source)];
		parent.release(disposed);
		parent.sendMany(writer, 2);
		const ended = parent.reader(source);
		parent.close(writer);
		expect(parent.next(ended).answer).toEqual(end(2));
		for (const reader of [disposed, lagged, ended]) {
			expect(move(parent, child, reader, receive({ start: "suffix" }))).toBe("DISCONNECTED");
		}
	});

	it("lets an unused sender go after the receiver was disposed: its sends and close stay DISCONNECTED", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		parent.release(pair.receive);
		expect(move(parent, child, pair.send, send())).toBe("moved");
		expect(child.send(pair.send, 1).answer).toBe("DISCONNECTED");
		expect(child.close(pair.send)).toBe("DISCONNECTED");
	});

	it("lets a broadcast sender go after a reader was disposed, and delivery continues", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		const [gone, kept] = [parent.reader(source), parent.reader(source)];
		parent.release(gone);
		expect(move(parent, child, writer, send())).toBe("moved");
		child.send(writer, 1);
		expect(parent.next(kept).answer).toEqual(item(1, 1));
		expect(parent.subscribe(source)).toMatchObject({ startSequence: 2 });
	});
});

describe("Channel Contract/1 section 3: identity", () => {
	it.each<[string, Port, string]>([
		["the exact contract", NAMED, "moved"],
		["another version", { ...NAMED, contract: identity("1.0.1") }, "INVALID_INPUT"],
		["another id", { ...NAMED, contract: identity("1.0.0", "https://example.org/other") }, "INVALID_INPUT"],
		[
			"another digest",
			{ ...NAMED, contract: { ...identity("1.0.0"), digest: `sha256:${"b".repeat(64)}` } },
			"INVALID_INPUT",
		],
		["its schema alone", { schema: NUMBER }, "INVALID_INPUT"],
		["nothing", {}, "INVALID_INPUT"],
	])("a writer's port of a named source declares %s", (_, terms, expected) => {
		const { parent, child } = holders();
		expect(move(parent, child, parent.direct(NAMED).send, send(terms))).toBe(expected);
		expect(move(parent, child, parent.broadcast(NAMED).send, send(terms))).toBe(expected);
	});

	it.each<[string, Port, string]>([
		["the exact contract", NAMED, "moved"],
		["another version", { ...NAMED, contract: identity("1.0.1") }, "INVALID_INPUT"],
		["its schema alone", { schema: NUMBER }, "moved"],
		["another schema", { schema: TEXT }, "INVALID_INPUT"],
		["true", { schema: schema(true) }, "moved"],
		["nothing", {}, "moved"],
	])("a reader's port of a named source declares %s", (_, terms, expected) => {
		const { parent, child } = holders();
		expect(move(parent, child, parent.direct(NAMED).receive, receive(terms))).toBe(expected);
		const { source } = parent.broadcast(NAMED);
		expect(move(parent, child, parent.reader(source), receive(terms))).toBe(expected);
	});

	it("an unnamed source satisfies no named reader, though the schemas match", () => {
		const { parent, child } = holders();
		expect(move(parent, child, parent.direct({ schema: NUMBER }).receive, receive(NAMED))).toBe("INVALID_INPUT");
		const { source } = parent.broadcast({ schema: NUMBER });
		expect(move(parent, child, parent.reader(source), receive(NAMED))).toBe("INVALID_INPUT");
	});

	it("a later writer doesn't name an unnamed source: only its contract's schema applies", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const grants = parent.give(child, { port: pair.send }, { port: send(NAMED) });
		expect(grants).toEqual({ port: { endpoint: pair.send, direction: "send", delivery: "direct" } });
		expect(move(parent, child, pair.receive, receive(NAMED))).toBe("INVALID_INPUT");
		expect(child.send(pair.send, "text").answer).toBe("INVALID_INPUT");
	});

	it("forwarding keeps the source's identity", () => {
		const { tree, parent, child } = holders();
		const grandchild = tree.holder();
		const pair = parent.direct(NAMED);
		expect(move(parent, child, pair.receive, receive())).toBe("moved");
		expect(child.give(grandchild, { port: pair.receive }, { port: receive(NAMED) })).toMatchObject({
			port: { contract: NAMED.contract },
		});
	});
});

describe("Channel Contract/1 section 3: schemas", () => {
	it("two nontrivial ones must have equal content: no subtyping", () => {
		const { parent, child } = holders();
		const integer = schema({ type: "integer" });
		expect(move(parent, child, parent.direct({ schema: NUMBER }).send, send({ schema: integer }))).toBe(
			"INVALID_INPUT",
		);
		expect(move(parent, child, parent.direct({ schema: NUMBER }).receive, receive({ schema: integer }))).toBe(
			"INVALID_INPUT",
		);
		const equal = schema({ type: "number" });
		expect(move(parent, child, parent.direct({ schema: NUMBER }).send, send({ schema: equal }))).toBe("moved");
		expect(move(parent, child, parent.direct({ schema: NUMBER }).receive, receive({ schema: equal }))).toBe("moved");
	});

	it("omitted and true are generic; {} is not", () => {
		const { parent, child } = holders();
		for (const terms of [{}, { schema: schema(true) }]) {
			expect(move(parent, child, parent.direct(terms).send, send({ schema: NUMBER }))).toBe("moved");
			expect(move(parent, child, parent.direct({ schema: NUMBER }).send, send(terms))).toBe("moved");
		}
		expect(move(parent, child, parent.direct({ schema: schema({}) }).send, send({ schema: NUMBER }))).toBe(
			"INVALID_INPUT",
		);
	});

	it.each([
		["the writer first", ["send", "receive"]],
		["the reader first", ["receive", "send"]],
	] as const)("a direct pair's two ports must agree in either order: %s", (_, order) => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const port = (direction: "send" | "receive", own: Port): Port => ({ ...own, direction });
		expect(move(parent, child, pair[order[0]], port(order[0], { schema: NUMBER }))).toBe("moved");
		expect(move(parent, child, pair[order[1]], port(order[1], { schema: TEXT }))).toBe("INVALID_INPUT");
		expect(move(parent, child, pair[order[1]], port(order[1], { schema: schema({ type: "number" }) }))).toBe("moved");
	});

	it("both ends in one map must agree, whatever its order", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		const wide = parent.broadcast();
		const reader = parent.reader(wide.source);
		const cases: [string, string][] = [
			[pair.send, pair.receive],
			[wide.send, reader],
		];
		for (const [writer, read] of cases) {
			const clash = { a: send({ schema: NUMBER }), b: receive({ schema: TEXT }) };
			expect(parent.give(child, { a: writer, b: read }, clash)).toBe("INVALID_INPUT");
			expect(parent.give(child, { b: read, a: writer }, clash)).toBe("INVALID_INPUT");
			expect(parent.give(child, { z: writer, b: read }, { z: clash.a, b: clash.b })).toBe("INVALID_INPUT");
			expect(parent.give(child, { a: writer, b: read }, { a: clash.a, b: receive() })).toHaveProperty("a");
		}
	});

	it("a later broadcast writer must fit every live bound reader", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		parent.hand(child, parent.reader(source), receive({ schema: TEXT }));
		parent.hand(child, parent.reader(source), receive());
		expect(move(parent, child, writer, send({ schema: NUMBER }))).toBe("INVALID_INPUT");
		expect(move(parent, child, writer, send({ schema: schema({ type: "string" }) }))).toBe("moved");
	});

	it("readers of different schemas veto any writer that declares one", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		parent.hand(child, parent.reader(source), receive({ schema: TEXT }));
		parent.hand(child, parent.reader(source), receive({ schema: NUMBER }));
		expect(move(parent, child, writer, send({ schema: NUMBER }))).toBe("INVALID_INPUT");
		expect(move(parent, child, writer, send({ schema: TEXT }))).toBe("INVALID_INPUT");
		expect(move(parent, child, writer, send())).toBe("moved");
	});

	it("a reader that is disposed or failed vetoes nothing", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		const reader = parent.hand(child, parent.reader(source), receive({ schema: TEXT }));
		expect(move(parent, child, writer, send({ schema: NUMBER }))).toBe("INVALID_INPUT");
		child.release(reader);
		expect(move(parent, child, writer, send({ schema: NUMBER }))).toBe("moved");
	});

	it("a later reader must match the admitted writer", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		parent.hand(child, writer, send({ schema: NUMBER }));
		expect(move(parent, child, parent.reader(source), receive({ schema: TEXT }))).toBe("INVALID_INPUT");
		expect(move(parent, child, parent.reader(source), receive({ schema: schema({ type: "number" }) }))).toBe("moved");
	});

	it("a schema that an endpoint was moved through stays when it moves on", () => {
		const { tree, parent, child } = holders();
		const grandchild = tree.holder();
		const { source } = parent.broadcast();
		const reader = parent.hand(child, parent.reader(source), receive({ schema: TEXT }));
		expect(move(child, grandchild, reader, receive({ schema: NUMBER }))).toBe("INVALID_INPUT");
		expect(move(child, grandchild, reader, receive())).toBe("moved");
		const pair = parent.direct();
		parent.hand(child, pair.send, send({ schema: TEXT }));
		expect(move(child, grandchild, pair.send, send({ schema: NUMBER }))).toBe("INVALID_INPUT");
		expect(move(child, grandchild, pair.send, send())).toBe("moved");
		expect(grandchild.send(pair.send, 1).answer).toBe("INVALID_INPUT");
	});
});

describe("Channel Contract/1 section 3: the queued prefix", () => {
	it("is validated before a direct receiver's schema is added, and later values satisfy both", () => {
		const { parent, child } = holders();
		const pair = parent.direct();
		parent.send(pair.send, 1);
		parent.send(pair.send, "text");
		expect(move(parent, child, pair.receive, receive({ schema: NUMBER }))).toBe("INVALID_INPUT");
		expect(move(parent, child, pair.receive, receive({ schema: TEXT }))).toBe("INVALID_INPUT");
		// The refused schema was not added.
		expect(parent.send(pair.send, null).answer).toBe(null);
		const either = schema({ type: ["number", "string", "null"] });
		expect(move(parent, child, pair.receive, receive({ schema: either }))).toBe("moved");
		expect(parent.send(pair.send, true).answer).toBe("INVALID_INPUT");
	});

	it("is validated for a subscription, and a later invalid value fails it alone", () => {
		const { parent, child } = holders();
		const { send: writer, source } = parent.broadcast();
		const [bad, good] = [parent.reader(source), parent.reader(source)];
		parent.send(writer, 1);
		expect(move(parent, child, bad, receive({ schema: TEXT }))).toBe("INVALID_INPUT");
		expect(move(parent, child, good, receive({ schema: NUMBER }))).toBe("moved");
		expect(parent.send(writer, "text").answer).toBe(null);
		expect(child.next(good).answer).toBe("INVALID_INPUT");
		expect(parent.next(bad).answer).toEqual(item(1, 1));
	});

	it("that can't be checked within the work limit refuses the map", () => {
		const { parent, child } = holders({ itemBytes: 2_000_000 });
		const pair = parent.direct();
		parent.send(pair.send, "x".repeat(999_999));
		expect(move(parent, child, pair.receive, receive({ schema: schema({ maxLength: 2_000_000 }) }))).toBe(
			"RESOURCE_EXHAUSTED",
		);
	});

	it("doesn't include sends that wait: those meet the schema when they are accepted", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const pair = parent.direct();
		parent.send(pair.send, 1);
		const [fit, unfit, behind] = [2, "text", 3].map((value) => parent.send(pair.send, value));
		const reader = parent.hand(child, pair.receive, receive({ schema: NUMBER }));
		expect(child.next(reader).answer).toEqual(item(1, 1));
		expect(child.next(reader).answer).toEqual(item(2, 2));
		expect([fit?.answer, unfit?.answer]).toEqual([null, "waiting"]);
		expect(child.next(reader).answer).toBe("INVALID_INPUT");
		expect([unfit?.answer, behind?.answer]).toEqual(["INVALID_INPUT", "INVALID_INPUT"]);
	});

	it("a waiting send that doesn't fit may still be taken back", () => {
		const { parent, child } = holders({ queuedItems: 1 });
		const pair = parent.direct();
		parent.send(pair.send, 1);
		const unfit = parent.send(pair.send, "text");
		const reader = parent.hand(child, pair.receive, receive({ schema: NUMBER }));
		unfit.cancel();
		expect(parent.send(pair.send, 2).answer).toBe("waiting");
		expect([child.next(reader).answer, child.next(reader).answer]).toEqual([item(1, 1), item(2, 2)]);
	});
});
