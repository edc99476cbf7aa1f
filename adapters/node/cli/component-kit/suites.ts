import { readdirSync, readFileSync } from "node:fs";
import type { ComponentCase, ComponentSuite } from "../../../../conformance/component/plan.ts";
import { resolveShared } from "../../../../conformance/host/build.ts";
import { CONFORMANCE, type Selection, selectFrom } from "../host-kit/suites.ts";

const CASES = `${CONFORMANCE}cases/component/`;

/** Every suite of the component kit by its file's name, shared values in their places. */
export function loadComponentSuites(): Map<string, ComponentSuite> {
	const names = readdirSync(CASES).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);
	const suites = names.map((name): [string, ComponentSuite] => [
		name,
		resolveShared(JSON.parse(readFileSync(`${CASES}${name}.json`, "utf8")) as ComponentSuite),
	]);
	return new Map(suites.sort(([, left], [, right]) => (left.suite < right.suite ? -1 : 1)));
}

/** The cases that are meant, suite by suite. Throws a `UsageError` where that is none. */
export function selectComponentCases(
	selection: Selection,
): { readonly suite: string; readonly cases: readonly ComponentCase[] }[] {
	return selectFrom(loadComponentSuites(), selection);
}
