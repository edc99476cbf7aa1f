/** What to do about a Run that failed, in plain words. */
import type { HostCode, RunCode } from "millrace/host";

type Code = RunCode | Exclude<HostCode, `OPERATION_${string}` | `PACKAGE_${string}`>;

const ADVICE: Readonly<Record<Code, string>> = {
	CANCELLED: "It was cancelled, and stopped. Run it again if that was a mistake.",
	DEADLINE_EXCEEDED:
		"It did not answer in time. Give it a later deadline, or look in the sequence for what it waited for.",
	OWNER_CLOSED: "It called something after its own answer. Await every call before the handler returns.",
	OPERATION_CONFLICT: "One operation id was used for two different calls. Give each call an id of its own.",
	UNAVAILABLE:
		"It called a slot to which nothing is bound here. Bind a package to a child slot above; capabilities can be bound only by a host's program.",
	PERMISSION_DENIED: "What it called refused it. Nothing in this page can change that.",
	RESOURCE_EXHAUSTED:
		"It crossed a bound of its host: too much output, too many calls, or too large a value. The message names it.",
	INVALID_INPUT:
		"The input doesn't fit input.schema.json. The problems are listed under the input; correct them and run it again.",
	INVALID_RESULT:
		"The code answered with something that the package doesn't promise. Correct the code, or result.schema.json, or declare the outcome in FLOW.md.",
	UNCERTAIN: "Nobody can tell whether the work was done. Look at what it called before you repeat it.",
	EXECUTION_FAILED:
		"The code threw, or ended without an answer. What it printed stands below; the error is often its last line.",
	LAGGED: "A reader of a broadcast channel fell too far behind. Read faster, or send less at once.",
	DISCONNECTED: "A channel had nobody at its other end any more. Look in the sequence for who gave it up.",
	PROTOCOL_ERROR: "It sent what is no message of Run/1. Its SDK may be old, or something else wrote to its output.",
	CHANNEL_LOST: "It ended, or closed its output, before it answered. The last lines it printed may say why.",
	INVALID_SETTINGS: "The settings don't fit settings.schema.json. Correct them above and run it again.",
	RUNTIME_UNSUPPORTED:
		"A page runs .mjs, .js and .ts. Run it in Node with --trace FILE --trace-values, and open the trace here.",
	SELECTOR_UNSUPPORTED:
		"Its first line asks for a runtime of its own. Run it where that runtime is, and open the trace here.",
	ATTACHMENT_MISSING: "It needs files, which a page can't attach. Run it in Node, and open the trace here.",
	ATTACHMENT_UNDECLARED: "An attachment was given that FLOW.md doesn't declare.",
	ATTACHMENT_ACCESS: "A page has no files to attach. Run it in Node, and open the trace here.",
	ATTACHMENT_FAILED: "A page has no files to attach. Run it in Node, and open the trace here.",
	CHANNEL_UNCONNECTED: "One of its channels must be connected. Give what it receives above, as a list.",
	CHANNEL_UNDECLARED: "A channel was connected that FLOW.md doesn't declare.",
	SLOT_UNDECLARED: "Something was bound to a slot that FLOW.md doesn't declare.",
	PROVIDER_MISMATCH: "What is bound implements another contract than the package names.",
	SCRATCH_FAILED: "This browser gave it no place to work in. Reload the page and try again.",
	LAUNCH_FAILED:
		"Its modules could not be loaded. The message and the lines below say which; only files of the package and the SDK can be imported here.",
	CLEANUP_FAILED: "The answer was accepted, and then something could not be removed. The answer stands.",
};

/** What to do, for each code that a Run in a page can end with. */
export function adviceFor(code: string): string {
	if (Object.hasOwn(ADVICE, code)) return ADVICE[code as Code];
	if (code.startsWith("PACKAGE_"))
		return "The package itself is at fault. Open it in Verify, which says where and how to correct it.";
	return "The message says what happened.";
}
