/** What a package wants from its host, and whether a page can give it: said before it starts. */
import type { PackageSnapshot } from "millrace";
import type { HostRuntime } from "millrace/host";

export interface Need {
	readonly what: string;
	readonly words: string;
	/** `given`: all is well; `lacking`: it runs without; `blocking`: it can't run here. */
	readonly state: "given" | "lacking" | "blocking";
}

const IN_NODE = "Run it in Node (millrace run … --trace FILE --trace-values) and open the trace here.";

/** `given` are the capability slots that this page answers for. */
export function needsOf(
	snapshot: PackageSnapshot,
	given: readonly string[],
	launcherFor: HostRuntime["launcherFor"],
): Need[] {
	const needs: Need[] = [];
	const { entrypoint, attachments, uses } = snapshot;
	if (entrypoint === undefined)
		needs.push({
			what: "No code",
			words: "There is no flow.mjs, flow.js or flow.ts in it: its instructions are for people and agents to follow.",
			state: "blocking",
		});
	else {
		const choice = launcherFor(entrypoint);
		if (!choice.ok) needs.push({ what: entrypoint.path, words: `${choice.message} ${IN_NODE}`, state: "blocking" });
	}
	for (const [name, access] of attachments)
		needs.push({
			what: `Attachment ${name}`,
			words: `It wants to ${access === "read" ? "read" : "read and write"} files, and a page has none to attach. ${IN_NODE}`,
			state: "blocking",
		});
	for (const slot of uses.keys()) {
		const bound = given.includes(slot);
		needs.push({
			what: `Capability ${slot}`,
			words: bound
				? "This page answers for it."
				: "This page has no implementation of it: calls are answered UNAVAILABLE, which many packages cope with.",
			state: bound ? "given" : "lacking",
		});
	}
	return needs;
}
