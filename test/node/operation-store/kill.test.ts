import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sqliteOperationStore } from "../../../adapters/node/operation-store.ts";
import { until } from "../fixtures.ts";
import { type HostEnd, Hosts } from "./killed.ts";
import { writePackages } from "./packages.ts";

/**
 * Run/1 section 6 under hosts that are killed: a host ends itself with SIGKILL at one step of one operation, a second one
 * goes on with the same key on the same store, and a third one must answer as the second did. What was dispatched is counted
 * with a wait for the disk. All rows share one store file.
 */

const STEPS = [
	"before the intent is recorded",
	"after the intent, before the dispatch",
	"during the work",
	"after the work, before its end is recorded",
	"after its end, before the answer",
	"after the answer",
	"after the root's result",
] as const;

const base = mkdtempSync(join(realpathSync(tmpdir()), "operation-store-kill-test-"));
const hosts = new Hosts(base);
const startedBy = (key: string): string => hosts.started(key).join(" ");

afterAll(() => {
	rmSync(base, { recursive: true, force: true });
});

/** Whether this host connects channels: without, there is no mapped operation to kill a host at. */
const connectsChannels = await (async () => {
	const probe = new Hosts(mkdtempSync(join(base, "probe-")));
	writePackages(join(probe.base, "packages"));
	const { outputs } = await probe.run([{ key: "probe", kind: "mapped" }]);
	const connects = outputs.get("probe") !== "UNAVAILABLE";
	if (!connects) process.stdout.write("mapped: left out, as this host connects no channels\n");
	return connects;
})();

interface Kind {
	readonly kind: string;
	/** The operation at whose steps the host ends. */
	readonly at: string;
	/**
	 * By step: what the restarted Run's component is answered, what was started in all three hosts together, and what the
	 * third one's is answered, where that is something else.
	 */
	readonly comes: readonly (readonly [answer: string, started: string, later?: string])[];
}

/** One operation of the root: once its end is on record, that is the answer. */
const replayed = (what: string): Kind["comes"] => [
	["made", what],
	["UNCERTAIN", ""],
	["UNCERTAIN", what],
	["UNCERTAIN", what],
	["made", what],
	["made", what],
	["made", what],
];

/** What is below a child that was dispatched and has not settled never runs again. */
const below: Kind["comes"] = [
	["UNCERTAIN", "child"],
	["UNCERTAIN", "child"],
	["UNCERTAIN", "child leaf"],
	["UNCERTAIN", "child leaf"],
	["UNCERTAIN", "child leaf"],
	["UNCERTAIN", "child leaf"],
	["made", "child leaf"],
];

/** No endpoint outlives its session: what was recorded with channels is never resumed, settled or not. */
const mapped = replayed("op").map(
	([answer, started], index) => [index === 0 ? answer : "UNCERTAIN", started, "UNCERTAIN"] as const,
);

const KINDS: readonly Kind[] = [
	{ kind: "capability", at: "op", comes: replayed("op") },
	{ kind: "function", at: "op", comes: replayed("op") },
	{ kind: "package", at: "op", comes: replayed("leaf") },
	{ kind: "nested", at: "op inner", comes: below },
	...(connectsChannels ? [{ kind: "mapped", at: "op", comes: mapped }] : []),
];

const rows = KINDS.flatMap(({ kind, at, comes }) =>
	STEPS.map((step, index) => {
		const [answer, started, later = answer] = comes[index]!;
		return { key: `${kind}, ${step}`, kind, at, step, answer, started, later };
	}),
);

describe("a host killed at any step, and restarted on the same store with the same key", () => {
	const ends = new Map<string, HostEnd>();
	const restarts: HostEnd[] = [];

	beforeAll(async () => {
		writePackages(join(base, "packages"));
		const waiting = [...rows];
		const worker = async (): Promise<void> => {
			for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
				if (row.step === "during the work") writeFileSync(`${hosts.counterOf(row.key)}.kill`, "");
				ends.set(row.key, await hosts.run([row]));
			}
		};
		await Promise.all([worker(), worker(), worker()]);
		const again = rows.map(({ key, kind }) => ({ key, kind }));
		restarts.push(await hosts.run(again), await hosts.run(again));
		const table = rows.map(({ kind, step, key }) => {
			return [kind, step, JSON.stringify(restarts[0]!.outputs.get(key)), startedBy(key) || "nothing"];
		});
		const [first, second, third] = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
		const line = ([kind, step, answer, started]: readonly string[]): string =>
			`  ${kind!.padEnd(first!)}  ${step!.padEnd(second!)}  ${answer!.padEnd(third!)}  ${started}`;
		process.stdout.write(`${["killed, then answered and started:", ...table.map(line)].join("\n")}\n`);
	}, 240_000);

	test.each(rows)("$key: $answer, started: $started", ({ key, answer, started, later }) => {
		const end = ends.get(key)!;
		expect([end.stderr, end.signal]).toEqual(["", "SIGKILL"]);
		for (const restart of restarts) expect([restart.stderr, restart.exitCode]).toEqual(["", 0]);
		expect(restarts.map((restart) => restart.outputs.get(key))).toEqual([answer, later]);
		expect(startedBy(key)).toBe(started);
	});

	test("hosts that make one file at the same moment share it", async () => {
		const others = new Hosts(mkdtempSync(join(base, "together-")));
		writePackages(join(others.base, "packages"));
		const keys = ["a", "b", "c", "d", "e", "f"];
		const ended = await Promise.all(keys.map((key) => others.run([{ key, kind: "capability" }])));
		for (const { stderr, exitCode, outputs } of ended) {
			expect([stderr, exitCode, ...outputs.values()]).toEqual(["", 0, "made"]);
		}
		const opened = await sqliteOperationStore(others.store);
		expect((await opened.list()).map(({ key }) => key).sort()).toEqual(keys);
		await opened.close();
	});

	test("two hosts at once: the one that was superseded finds out, and its work is UNCERTAIN for the other", async () => {
		const row = { key: "two hosts", kind: "capability" };
		const first = hosts.run([{ ...row, hold: true }]);
		await until(() => startedBy(row.key) === "op");
		const second = await hosts.run([row]);
		writeFileSync(`${hosts.counterOf(row.key)}.go`, "");
		expect([second.stderr, second.outputs.get(row.key)]).toEqual(["", "UNCERTAIN"]);
		expect((await first).outputs.get(row.key)).toBe("OPERATION_KEY_SUPERSEDED");
		expect(startedBy(row.key)).toBe("op");
	});

	test("every decision is on record in the end", async () => {
		const opened = await sqliteOperationStore(hosts.store);
		const keys = (await opened.list()).filter(({ key }) => key !== "two hosts");
		await opened.close();
		expect(keys.map((each) => each.key).sort()).toEqual(rows.map((row) => row.key).sort());
		for (const { key, unsettled } of keys) {
			// What a child never came to is no decision of the root's.
			expect([key, unsettled]).toEqual([key, key.startsWith("nested") ? expect.any(Number) : 0]);
		}
	});
});
