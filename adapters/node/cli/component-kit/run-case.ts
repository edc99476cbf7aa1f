import type { ComponentCase } from "../../../../conformance/component/plan.ts";
import { ComponentUnderTest } from "./component-process.ts";
import { Difference, play } from "./play.ts";

export interface ComponentVerdict {
	readonly status: "passed" | "failed" | "tolerated";
	readonly difference?: string;
	/** The end of what it said on stderr. */
	readonly stderr?: string;
	/** The component could not be started: no case can be tried. */
	readonly startFailure?: Error;
}

/** Starts a component for one case, plays the host, judges, and leaves nothing behind. */
export async function runComponentCase(
	each: ComponentCase,
	command: readonly string[],
	timeoutMs: number,
	signal: AbortSignal,
): Promise<ComponentVerdict> {
	const component = new ComponentUnderTest(command);
	const stop = (): void => component.kill();
	signal.addEventListener("abort", stop);
	// Whatever a component does or doesn't do, a case has an end.
	const timer = setTimeout(stop, timeoutMs);
	try {
		await play(each, component, timeoutMs / 2);
		return { status: "passed" };
	} catch (error) {
		const { startFailure, stderr } = component;
		if (startFailure !== undefined) {
			return { status: "failed", difference: `it can't be started: ${startFailure.message}`, startFailure };
		}
		if (!(error instanceof Difference)) throw error;
		const said = stderr === "" ? {} : { stderr: stderr.slice(-400) };
		return { status: each.ambiguous === undefined ? "failed" : "tolerated", difference: error.message, ...said };
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
		component.kill();
	}
}
