import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
	type EntryLanguage,
	filesOf,
	jobOf,
	packagesOf,
	type Surroundings,
} from "../../../../conformance/host/build.ts";
import { readEvidence, type Witness } from "../../../../conformance/host/evidence.ts";
import type { ContextPlan, HostCase } from "../../../../conformance/host/plan.ts";
import { killKnown } from "./leftovers.ts";
import { CONFORMANCE } from "./suites.ts";

/** The players, which are written into packages as they are. */
const PLAYERS = `${CONFORMANCE}players/`;

/** Milliseconds a component waits in vain before it says so, and before it ends whatever happens. */
export interface Patience {
	readonly patienceMs: number;
	readonly lifetimeMs: number;
}

/** Cases under way; the last moment of the program ends what they started and removes what they wrote. */
const places = new Set<Workplace>();

process.on("exit", () => {
	for (const place of places) {
		killKnown(place.evidence());
		place.remove();
	}
});

/** One case written out: packages, job, a place for evidence and one for the host's own temporary files. */
export class Workplace {
	readonly jobFile: string;
	/** For the host's own files, so that they go with the case. */
	readonly temporary: string;
	readonly #root: string;
	readonly #names: readonly string[];

	constructor(each: HostCase, entry: EntryLanguage, patience: Patience) {
		this.#root = mkdtempSync(join(tmpdir(), `millrace-host-kit-${process.pid}-`));
		const around: Surroundings = {
			evidence: this.#make("evidence"),
			packageAt: (name) => join(this.#root, "packages", name),
			attachmentAt: (name) => join(this.#root, "attachments", name),
			entry,
			player: readFileSync(`${PLAYERS}flow.${entry}`, "utf8"),
			...patience,
		};
		this.temporary = this.#make("temporary");
		const packages = packagesOf(each);
		this.#names = [...packages.keys()];
		for (const [name, plan] of packages) {
			for (const [path, bytes] of filesOf(name, plan, around)) {
				const file = join(around.packageAt(name), path);
				mkdirSync(dirname(file), { recursive: true });
				writeFileSync(file, bytes);
			}
		}
		for (const name of attachmentNames(each.job ?? {}))
			writeFileSync(join(this.#make(`attachments/${name}`), "content"), `of ${name}`);
		this.jobFile = join(this.#root, "job.json");
		writeFileSync(this.jobFile, JSON.stringify(jobOf(each, around)));
		places.add(this);
	}

	/** What the components of each package have told so far. */
	evidence(): Map<string, readonly Witness[]> {
		const logs = new Set(readdirSync(join(this.#root, "evidence")));
		return new Map(
			this.#names.map((name) => {
				const log = `${name}.ndjson`;
				return [name, logs.has(log) ? readEvidence(readFileSync(join(this.#root, "evidence", log), "utf8")) : []];
			}),
		);
	}

	/** A component that was about to start finds no place for its log, and ends. */
	remove(): void {
		// What a host left there may still be changing.
		rmSync(this.#root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
		places.delete(this);
	}

	#make(name: string): string {
		const path = join(this.#root, name);
		mkdirSync(path, { recursive: true });
		return path;
	}
}

function attachmentNames({ attachments = {}, children = {} }: ContextPlan): string[] {
	return [...Object.keys(attachments), ...Object.values(children).flatMap(attachmentNames)];
}
