import { describe, expect, it } from "vitest";
import { bytes, cancelOf, childRequest, DONE, failure, Host, result, verdict } from "./harness.ts";

const ANSWER = result("host:1", { ...DONE });

describe("Run/1 sections 8 and 9: cancellation, deadline and bounds at the host", () => {
	it("writes nothing when it was cancelled or expired before the root's write began", () => {
		for (const [end, code] of [
			["cancel", "CANCELLED"],
			["expire", "DEADLINE_EXCEEDED"],
		] as const) {
			for (const start of [true, false]) {
				const host = new Host();
				if (start) host.session.start();
				host.session[end]();
				host.session.start();
				expect([host.take(), host.stops]).toEqual([[], ["stopped"]]);
				expect(host.kill()).toBe(code);
			}
		}
	});

	it("sends one request/cancel, asks owned work to stop, and lets the first recorded condition win", () => {
		const host = Host.running().feed(childRequest("c:1"));
		host.session.expire();
		host.session.cancel();
		host.session.expire();
		expect(host.flush()).toEqual([cancelOf("host:1")]);
		expect(host.abandoned).toEqual(host.operations);
		expect(host.stops).toEqual([]);
		expect(host.kill()).toBe("DEADLINE_EXCEEDED");
	});

	it("doesn't send a cancellation that the answer overtook", () => {
		const host = Host.running();
		host.session.cancel();
		host.feed(ANSWER);
		expect(host.take()).toEqual([]);
	});

	it.each([
		["a later result", ANSWER],
		["a later failure", failure("host:1", "EXECUTION_FAILED")],
		["the component's CANCELLED", failure("host:1", "CANCELLED")],
	])("keeps the recorded condition over %s", (_, answer) => {
		const host = Host.running();
		host.session.expire();
		host.take();
		host.feed(answer);
		expect([host.responses, host.accepted]).toEqual([1, []]);
		expect(host.exit()).toBe("DEADLINE_EXCEEDED");
	});

	it("lets a response win over a later cancellation or deadline", () => {
		const host = Host.running().feed(ANSWER);
		host.session.cancel();
		host.session.expire();
		expect(host.take()).toEqual([]);
		expect(host.exit()).toBe("done");
	});

	it("ends the session at once when a host bound is crossed, after a response too", () => {
		const host = Host.running();
		host.session.exhaust("stderr flood");
		expect([host.stops, host.take()]).toEqual([["stopped"], []]);
		expect(host.kill()).toBe("RESOURCE_EXHAUSTED");
		const answered = Host.running().feed(ANSWER);
		answered.session.exhaust("stderr flood");
		expect(answered.kill()).toBe("RESOURCE_EXHAUSTED");
	});

	it("sends no diagnostic into a pipe that has failed", () => {
		const host = Host.running();
		host.session.cancel();
		host.take();
		host.session.writeFailed(new Error("EPIPE"));
		host.feed("garbage");
		expect([host.take(), host.exit()]).toEqual([[], "PROTOCOL_ERROR"]);
	});

	it("reads on when only the cancellation could not be written: the answer may have crossed it", () => {
		const host = Host.running();
		host.session.cancel();
		host.take();
		host.session.writeFailed(new Error("EPIPE"));
		expect(host.stops).toEqual([]);
		host.feed(ANSWER);
		expect(host.exit()).toBe("CANCELLED");
	});
});

describe("Run/1 section 9: how the component ended", () => {
	it("waits for the exit status after EOF: nonzero is EXECUTION_FAILED, zero is CHANNEL_LOST", () => {
		for (const [exitCode, code] of [
			[1, "EXECUTION_FAILED"],
			[0, "CHANNEL_LOST"],
		] as const) {
			const host = Host.running();
			host.session.inputEnded();
			expect(host.stops).toEqual(["lost"]);
			expect(verdict(host.session.exited({ exitCode, signal: null, killed: false }))).toBe(code);
		}
	});

	it("ignores a cancellation after the channel was lost: the loss was recorded first", () => {
		const host = Host.running();
		host.session.inputEnded();
		host.session.cancel();
		expect(verdict(host.session.exited({ exitCode: null, signal: "SIGKILL", killed: true }))).toBe("CHANNEL_LOST");
	});

	it("turns a failed write and a failed read into a lost channel, decided by the exit status", () => {
		const write = Host.running().feed(childRequest("c:1"));
		write.operations[0]?.settle({ result: DONE });
		write.take();
		write.session.writeFailed(new Error("EPIPE"));
		expect(write.stops).toEqual(["lost"]);
		expect(verdict(write.session.exited({ exitCode: 7, signal: null, killed: false }))).toBe("EXECUTION_FAILED");
		const read = Host.running();
		read.session.readFailed(new Error("EIO"));
		expect(verdict(read.session.exited({ exitCode: 0, signal: null, killed: false }))).toBe("CHANNEL_LOST");
	});

	it("ignores a failed write after the answer", () => {
		const host = Host.running().feed(childRequest("c:1"));
		host.operations[0]?.settle({ result: DONE });
		host.take();
		host.feed(ANSWER);
		host.session.writeFailed(new Error("EPIPE"));
		expect(host.exit()).toBe("done");
	});

	it("takes a half frame at EOF for PROTOCOL_ERROR, unless a recorded condition had the component killed", () => {
		const broken = Host.running();
		broken.session.receive(bytes('{"jsonrpc":"2.0"'));
		expect(broken.kill()).toBe("PROTOCOL_ERROR");
		const cancelled = Host.running();
		cancelled.session.cancel();
		cancelled.session.receive(bytes('{"jsonrpc":"2.0"'));
		expect(cancelled.kill()).toBe("CANCELLED");
	});

	it("repeats its verdict, and changes nothing afterwards", () => {
		const host = Host.running().feed(ANSWER);
		expect(host.exit()).toBe("done");
		host.session.cancel();
		host.session.exhaust("late");
		expect(verdict(host.session.exited({ exitCode: 1, signal: null, killed: true }))).toBe("done");
	});
});
