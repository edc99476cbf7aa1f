/** Stands in for `vitest` in a runtime that vitest itself doesn't know: its own runner and its own assertions, without its process. */
import {
	ASYMMETRIC_MATCHERS_OBJECT,
	chai,
	getState,
	JestAsymmetricMatchers,
	JestChaiExpect,
	JestExtend,
	setState,
} from "@vitest/expect";

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, onTestFinished, test } from "@vitest/runner";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

type Expect = typeof import("vitest").expect;

/** As `vitest` makes it; a run's own additions (`poll`, snapshots) are not here, and no test that is bundled asks for them. */
export const expect: Expect = Object.assign(
	(value: unknown, message?: string) => chai.expect(value, message),
	chai.expect,
	(globalThis as unknown as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT],
	{
		getState: () => getState(expect),
		setState: (state: Parameters<Expect["setState"]>[0]) => setState(state, expect),
		unreachable: (message?: string) => chai.assert.fail(message ?? "reached what is unreachable"),
	},
) as unknown as Expect;

(globalThis as unknown as Record<symbol, unknown>)[Symbol.for("expect-global2")] = expect;

/** Types are checked once, by the compiler. */
export function expectTypeOf(): unknown {
	const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
	return nothing;
}
