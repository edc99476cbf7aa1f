/**
 * Our host under the host kit (HOST.md), in both languages a component can be written in. The adapter runs inside this
 * process; `host-command.test.ts` goes through the command.
 */
import { afterAll, describe, expect, it } from "vitest";
import { runJob } from "../../adapters/node/cli/host-job.ts";
import type { Adapter } from "../../adapters/node/cli/host-kit/host-process.ts";
import { runHostCase } from "../../adapters/node/cli/host-kit/run-case.ts";
import { loadHostSuites } from "../../adapters/node/cli/host-kit/suites.ts";
import type { EntryLanguage } from "../../conformance/host/build.ts";

const ours: Adapter = async (jobFile, { temporary }) => ({
	stdout: JSON.stringify(await runJob(jobFile, temporary)),
	how: "with exit code 0",
	killed: false,
	stderr: "",
});

const controller = new AbortController();
afterAll(() => controller.abort());

// Every third case is played in Python: both players meet every verb, and the suite stays short.
const languageOf = (index: number): EntryLanguage => (index % 3 === 1 ? "py" : "mjs");

for (const [file, suite] of loadHostSuites()) {
	describe.concurrent(`${file}: ${suite.suite}`, () => {
		const cases = suite.cases.filter((each) => each.long !== true);
		it.each(cases.map((each, index) => [each.name, languageOf(index), each] as const))(
			"%s (%s)",
			async (_, entry, each) => {
				const options = { entry, timeoutMs: 45_000, signal: controller.signal };
				const { verdict, stood } = await runHostCase(each, ours, options);
				expect({ ...verdict, stood }).toEqual({ status: "passed", stood: undefined });
			},
			60_000,
		);
	});
}
