import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { Hosts, lines } from "./killed.ts";
import { writePackages } from "./packages.ts";

/**
 * Hosts killed from outside at any instant, also inside a write to the store: whatever they were at, nothing is started
 * twice, and what a component was answered once it is answered for ever. MILLRACE_KILL_SECONDS makes it last longer.
 */

const SECONDS = Number(process.env.MILLRACE_KILL_SECONDS ?? 8);

const base = mkdtempSync(join(realpathSync(tmpdir()), "operation-store-random-kill-test-"));
afterAll(() => {
	rmSync(base, { recursive: true, force: true });
});

test(
	"nothing is started twice, and no answer changes, whenever the host is killed",
	async () => {
		const hosts = new Hosts(base);
		writePackages(join(base, "packages"));
		const late = performance.now() + SECONDS * 1_000;
		let kills = 0;
		let uncertain = 0;
		let rounds = 0;
		for (; rounds === 0 || performance.now() < late; rounds += 1) {
			const row = { key: `round ${rounds}`, kind: "many", slow: true };
			for (let ended = false; !ended; ) {
				const patience = performance.now() > late ? 60_000 : 30 + Math.random() * 170;
				let killer: Promise<unknown> | undefined;
				const over = new AbortController();
				const { signal, exitCode, stderr } = await hosts.run([row], (child) => {
					killer = sleep(patience, undefined, { signal: over.signal }).then(
						() => child.kill("SIGKILL"),
						() => undefined,
					);
				});
				over.abort();
				await killer;
				expect([stderr, signal ?? exitCode]).toEqual(["", signal === null ? 0 : "SIGKILL"]);
				if (signal === null) ended = true;
				else kills += 1;
			}
			const { outputs } = await hosts.run([{ ...row, slow: false }]);
			const answers = outputs.get(row.key) as Record<string, string>;
			const heard = new Map<string, Set<string>>();
			for (const line of lines(`${hosts.counterOf(row.key)}.answers`)) {
				const [name, answer] = line.split(" ");
				heard.set(name!, (heard.get(name!) ?? new Set()).add(answer!));
			}
			for (let index = 0; index < 40; index += 1) {
				const name = `op${index}`;
				const started =
					index % 20 === 19
						? lines(`${hosts.counterOf(row.key)}.${index}`)
						: hosts.started(row.key).filter((each) => each === name);
				const answer = answers[name]!;
				expect([name, ...heard.get(name)!]).toEqual([name, answer]);
				expect([name, answer, started.length]).toEqual(
					answer === "made" ? [name, "made", 1] : [name, "UNCERTAIN", Math.min(started.length, 1)],
				);
				if (answer === "UNCERTAIN") uncertain += 1;
			}
		}
		process.stdout.write(
			`random kills: ${kills} in ${rounds} Runs of 40 operations, ${uncertain} answered UNCERTAIN, none started twice\n`,
		);
		expect(kills).toBeGreaterThan(0);
	},
	SECONDS * 1_000 + 120_000,
);
