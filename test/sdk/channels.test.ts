/** Run SDK/1 section 9: endpoints, pairs and broadcasts as component code sees them. */
import { describe, expect, it } from "vitest";
import { done } from "./caller.ts";
import { memoryHost } from "./memory-host.ts";

const contract = { id: "https://example.org/x", version: "1.0.0", digest: `sha256:${"0".repeat(64)}` };

describe("granted endpoints", () => {
	it("show their metadata, which claims nothing, and not their reference", async () => {
		const host = memoryHost(async (run) => {
			const { events, ticks } = run.channels;
			expect([events!.direction, events!.delivery, { ...events!.contract }]).toEqual(["send", "direct", contract]);
			expect(ticks).toMatchObject({ direction: "receive", delivery: "broadcast", startSequence: 7 });
			expect([Object.hasOwn(ticks!, "contract"), JSON.stringify([events, ticks])]).toEqual([
				false,
				expect.not.stringContaining("e:"),
			]);
			await run.runChildFlow({
				operationId: "a",
				slot: "b",
				input: null,
				channels: { events: events!, ticks: ticks! },
			});
			return done;
		});
		host.run(null, {
			channels: {
				events: { endpoint: "e:1", direction: "send", delivery: "direct", contract },
				ticks: { endpoint: "e:2", direction: "receive", delivery: "broadcast", startSequence: 7 },
			},
		});
		const request = await host.until(1);
		expect(request.params).toMatchObject({ channels: { events: "e:1", ticks: "e:2" } });
		host.result(request.id, done);
		expect(await host.until(2)).toMatchObject({ id: "host:1", result: done });
	});
});
