import type { SdkTransport } from "../../src/sdk/index.ts";

/** Where whoever starts a component beside itself, in a thread, leaves the environment that its SDK is to use. */
const LENT = Symbol.for("millrace.sdk.environment");

type Lender = { [LENT]?: SdkTransport | undefined };

/** The environment that was lent to this thread, if one was; it is given once. */
export function lentEnvironment(): SdkTransport | undefined {
	const lender = globalThis as Lender;
	const lent = Object.hasOwn(lender, LENT) ? lender[LENT] : undefined;
	delete lender[LENT];
	return lent;
}

export function lendEnvironment(environment: SdkTransport): void {
	Object.defineProperty(globalThis, LENT, { value: environment, configurable: true });
}
