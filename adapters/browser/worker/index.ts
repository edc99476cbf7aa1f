export { WORKER_LIMITS, type WorkerLimits } from "./meter.ts";
export { type BrowserRuntimeOptions, browserRuntime } from "./runtime.ts";
