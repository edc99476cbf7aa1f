import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resolveShared } from "../../../../conformance/host/build.ts";
import type { HostCase, HostSuite } from "../../../../conformance/host/plan.ts";
import { UsageError } from "../usage.ts";

/** The package's `conformance` directory: beside `dist`, or where the sources themselves are run. */
export const CONFORMANCE: string = ["../../../../../conformance/", "../../../../conformance/"]
	.map((path) => fileURLToPath(new URL(path, import.meta.url)))
	.find((path) => existsSync(`${path}players`))!;

const CASES = `${CONFORMANCE}cases/host/`;

export interface Selection {
	/** Only the suite in the file of this name. */
	readonly suite?: string;
	/** Only cases whose name fits; `*` stands for anything. */
	readonly case?: string;
	/** The long ones too. */
	readonly long?: boolean;
}

/** Every suite of the host kit by its file's name, in the order of the sections they show, shared values in their places. */
export function loadHostSuites(): Map<string, HostSuite> {
	const names = readdirSync(CASES).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
	const suites = names.map((name): [string, HostSuite] => [
		name,
		resolveShared(JSON.parse(readFileSync(`${CASES}${name}.json`, "utf8")) as HostSuite),
	]);
	return new Map(suites.sort(([, left], [, right]) => (left.suite < right.suite ? -1 : 1)));
}

/** The cases that are meant, suite by suite. Throws a `UsageError` where that is none. */
export function selectCases(selection: Selection): { readonly suite: string; readonly cases: readonly HostCase[] }[] {
	return selectFrom(loadHostSuites(), selection);
}

/** The same of the suites of any kit. */
export function selectFrom<T extends { readonly name: string; readonly long?: true }>(
	suites: ReadonlyMap<string, { readonly suite: string; readonly cases: readonly T[] }>,
	selection: Selection,
): { readonly suite: string; readonly cases: readonly T[] }[] {
	const { suite: only, case: pattern, long = false } = selection;
	if (only !== undefined && !suites.has(only))
		throw new UsageError(`there is no suite "${only}"; the suites are ${[...suites.keys()].join(", ")}`);
	const wanted = pattern === undefined ? undefined : patternOf(pattern);
	const selected = [...suites].flatMap(([name, suite]) => {
		if (only !== undefined && only !== name) return [];
		const cases = suite.cases.filter((each) => (wanted?.test(each.name) ?? true) && (long || each.long !== true));
		return cases.length === 0 ? [] : [{ suite: suite.suite, cases }];
	});
	if (selected.length === 0) throw new UsageError(`no case fits ${pattern === undefined ? "" : `"${pattern}"`}`);
	return selected;
}

function patternOf(pattern: string): RegExp {
	const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join(".*")}$`);
}
