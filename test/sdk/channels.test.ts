/** Run SDK/1 section 9, as far as this stage goes: endpoints are shown, and every use of a channel is refused. */
import { describe, expect, it } from "vitest";
import { memoryHost } from "./memory-host.ts";

const done = { outcome: "done", output: null };

describe("channels wait for their stage (Run SDK/1 section 9)", () => {
	it("channel() rejects with UNAVAILABLE, bad arguments with TypeError, an aborted signal with CANCELLED", async () => {
		const codes: unknown[] = [];
		const note = (error: { code?: string; name: string }): void => void codes.push(error.code ?? error.name);
		const host = memoryHost(async (run) => {
			await run.channel().catch(note);
			await run.channel({ delivery: "broadcast", schema: true }).catch(note);
			await run.channel({ schema: true, contract: "./c.json" }).catch(note);
			await run.channel({ delivery: "multicast" } as never).catch(note);
			await run.channel({}, { signal: AbortSignal.abort() }).catch(note);
			return done;
		});
		host.run();
		expect(await host.until(1)).toMatchObject({ result: done });
		expect(codes).toEqual(["UNAVAILABLE", "UNAVAILABLE", "TypeError", "TypeError", "CANCELLED"]);
	});

	it("granted endpoints show their metadata and refuse every use", async () => {
		const contract = { id: "https://example.org/x", version: "1.0.0", digest: `sha256:${"0".repeat(64)}` };
		const codes: unknown[] = [];
		const note = (error: { code?: string; name: string }): void => void codes.push(error.code ?? error.name);
		const host = memoryHost(async (run) => {
			const { events, ticks } = run.channels;
			expect([events!.direction, events!.delivery, { ...events!.contract }]).toEqual(["send", "direct", contract]);
			expect(ticks).toMatchObject({ direction: "receive", delivery: "broadcast", startSequence: 7 });
			if (events!.direction === "send") await events!.send(1).catch(note);
			if (ticks!.direction === "receive") await ticks!.next().catch(note);
			const call = { operationId: "a", slot: "b", input: null, channels: { events: events! } };
			await run.runChildFlow(call).catch(note);
			await run.runChildFlow({ ...call, slot: "?" }).catch((error) => codes.push(error instanceof TypeError));
			return done;
		});
		host.run(null, {
			channels: {
				events: { endpoint: "e:1", direction: "send", delivery: "direct", contract },
				ticks: { endpoint: "e:2", direction: "receive", delivery: "broadcast", startSequence: 7 },
			},
		});
		expect(await host.until(1)).toMatchObject({ id: "host:1", result: done });
		expect(codes).toEqual(["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE", true]);
	});
});
