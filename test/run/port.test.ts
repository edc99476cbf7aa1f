import { expect, it } from "vitest";
import { portTransport } from "../../src/run/index.ts";
import { bytes } from "./harness.ts";

interface End {
	readonly transport: ReturnType<typeof portTransport>;
	readonly heard: string[];
	listen(): void;
	write(data: Uint8Array | string): Promise<unknown>;
}

function ends(): { left: End; right: End; ports: MessageChannel } {
	const ports = new MessageChannel();
	return { left: endOf(ports.port1), right: endOf(ports.port2), ports };
}

function endOf(port: MessagePort): End {
	const transport = portTransport(port);
	const heard: string[] = [];
	return {
		transport,
		heard,
		listen: () =>
			transport.listen({
				chunk: (chunk) => heard.push(new TextDecoder().decode(chunk).slice(0, 9)),
				ended: () => heard.push("ended"),
				failed: (error) => heard.push(`failed: ${(error as Error).message}`),
			}),
		write: (data) =>
			new Promise((resolve) => {
				if (typeof data === "string") transport.writeText!(data, resolve);
				else transport.write(data, resolve);
			}),
	};
}

/** Until a message has gone through a port: what was posted before it, through another one, mostly has, too. */
function passed(): Promise<void> {
	const { port1, port2 } = new MessageChannel();
	return new Promise((resolve) => {
		port1.onmessage = () => {
			port1.close();
			setImmediate(resolve);
		};
		port2.postMessage(null);
	});
}

/** Until everything that was posted has been delivered, both ways. */
async function delivered(): Promise<void> {
	for (let turn = 0; turn < 8; turn++) await passed();
}

/** Whether this runtime tells a port that the other one was closed. */
async function tellsOfClosing(): Promise<boolean> {
	const { port1, port2 } = new MessageChannel();
	let told = false;
	port2.addEventListener("close", () => {
		told = true;
	});
	port2.start();
	port1.close();
	await delivered();
	port2.close();
	return told;
}

const telling = await tellsOfClosing();

it("keeps what came before anybody listened, in order, the end last", async () => {
	const { left, right } = ends();
	await left.write("1");
	await left.write(bytes("2"));
	left.transport.end();
	await delivered();
	right.listen();
	expect(right.heard).toEqual(["1", "2", "ended"]);
});

it("copies bytes that were written, and leaves them to whoever wrote them", async () => {
	const { left, right } = ends();
	right.listen();
	const data = new Uint8Array(65_536).fill(97);
	await left.write(data);
	data.fill(98);
	await delivered();
	expect([data.length, right.heard]).toEqual([65_536, ["aaaaaaaaa"]]);
});

it("refuses a write after the end, and a second one while the first waits for its reader", async () => {
	const { left } = ends();
	const waiting = left.write("x".repeat(300_000));
	expect(await left.write("y")).toBeInstanceOf(Error);
	left.transport.end();
	expect(await left.write("z")).toBeInstanceOf(Error);
	left.transport.stop();
	// The port is closed with it: nobody will take what waits.
	expect(await waiting).toBeInstanceOf(Error);
});

it("takes and drops what comes after stop, so that a writer goes on", async () => {
	const { left, right } = ends();
	right.listen();
	right.transport.stop();
	for (let count = 0; count < 4; count++) expect(await left.write("x".repeat(300_000))).toBeUndefined();
	expect(right.heard).toEqual([]);
});

it.skipIf(!telling)("fails both directions once when the port closes before its peer has ended", async () => {
	const { left, right, ports } = ends();
	right.listen();
	const waiting = right.write("x".repeat(300_000));
	await delivered();
	ports.port1.close();
	expect(await waiting).toBeInstanceOf(Error);
	await delivered();
	expect(right.heard).toEqual(["failed: the port was closed"]);
	expect(await right.write("1")).toBeInstanceOf(Error);
	expect(left.heard).toEqual([]);
});

it.skipIf(!telling)("tells who listens later that the port has closed", async () => {
	const { left, right, ports } = ends();
	await left.write("1");
	await delivered();
	ports.port1.close();
	await delivered();
	right.listen();
	expect(right.heard).toEqual(["1", "failed: the port was closed"]);
});

it("closes the port when both sides have ended, and ignores what is none of its messages", async () => {
	const { left, right, ports } = ends();
	left.listen();
	right.listen();
	for (const stranger of [null, 1, "chunk", {}, { chunk: "1" }, { taken: -1 }, { taken: "1" }, { end: 1 }, [1]]) {
		ports.port1.postMessage(stranger);
	}
	let closed = false;
	const { port1 } = ports;
	const close = port1.close.bind(port1);
	port1.close = () => {
		closed = true;
		close();
	};
	left.transport.end();
	await delivered();
	expect(closed).toBe(false);
	await right.write("1");
	right.transport.end();
	await delivered();
	expect([left.heard, right.heard, closed]).toEqual([["1", "ended"], ["ended"], true]);
});
