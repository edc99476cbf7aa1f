import type { Reporter, TestModule } from "vitest/node";
import { addCounts } from "../runtimes/counts.mjs";

/** Ends a run with one plain line that any runner can read: `N passed, N failed`; or keeps the counts for the line over several runs. */
export default class ClosingLine implements Reporter {
	onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
		let passed = 0;
		let failed = unhandledErrors.length;
		let skipped = 0;
		for (const module of modules) {
			let ran = 0;
			for (const test of module.children.allTests()) {
				ran += 1;
				const state = test.result().state;
				if (state === "passed") passed += 1;
				else if (state === "failed") failed += 1;
				else skipped += 1;
			}
			if (ran === 0 && !module.ok()) failed += 1;
		}
		process.once("exit", () => addCounts(`Node ${process.versions.node}`, { passed, failed, skipped }));
	}
}
