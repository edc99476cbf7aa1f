import { type ContractIdentity, parseCapabilityContractValue } from "../../src/contract/index.ts";
import type { JsonValue } from "../../src/json/index.ts";
import { encodeUtf8 } from "../../src/web.ts";
import { expandRules } from "../corpus.ts";
import { dataBytes, type Fields, field, isFields } from "../data.ts";
import type { ContextPlan, HostCase, PackagePlan, ProviderPlan } from "./plan.ts";

/** The languages a component can be written in; each has its player. */
export type EntryLanguage = "mjs" | "py";

/** What the kit needs to write one case out. Paths are absolute and are the adapter's own spelling. */
export interface Surroundings {
	/** Where components leave their logs and marks; it exists. */
	readonly evidence: string;
	/** The place of a package by its name, and of an attachment's directory. */
	packageAt(name: string): string;
	attachmentAt(name: string): string;
	readonly entry: EntryLanguage;
	/** The player's text in that language. */
	readonly player: string;
	/** Milliseconds a component waits for anything before it gives up, and before it ends whatever happens. */
	readonly patienceMs: number;
	readonly lifetimeMs: number;
}

/** One package, ready to be written: path to bytes. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

/** The packages of a case by name; the one that is run is `root`. */
export function packagesOf(each: HostCase): Map<string, PackagePlan> {
	return new Map([["root", each as PackagePlan], ...Object.entries(each.packages ?? {})]);
}

/** Puts the shared values of a suite where its cases use them. Throws a `TypeError` for a name that isn't shared. */
export function resolveShared<T extends { readonly shared?: Fields; readonly cases: readonly unknown[] }>(suite: T): T {
	const shared = suite.shared ?? {};
	const resolve = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(resolve);
		if (!isFields(value)) return value;
		const names = Object.keys(value);
		if (names.length === 1 && names[0] === "$use") {
			const found = field(shared, value.$use as string);
			if (found === undefined) throw new TypeError(`nothing is shared as ${String(value.$use)}`);
			return resolve(found);
		}
		return Object.fromEntries(names.map((name) => [name, resolve(value[name])]));
	};
	return { ...suite, cases: resolve(suite.cases) as T["cases"] };
}

/** The files of one package. */
export function filesOf(name: string, plan: PackagePlan, around: Surroundings): PackageFiles {
	const files = new Map<string, Uint8Array>([["FLOW.md", encodeUtf8(flowMd(name, plan.declares ?? {}))]]);
	for (const [path, content] of Object.entries(plan.files ?? {})) files.set(path, contentOf(content));
	if (plan.steps !== undefined)
		files.set(plan.entry ?? `flow.${around.entry}`, encodeUtf8(entryOf(name, plan, around)));
	return files;
}

/** Metadata members are JSON, which YAML's flow style holds. */
function flowMd(name: string, declares: Fields): string {
	const members = { name, description: "A component of the host kit.", ...declares };
	const lines = Object.entries(members).map(([member, value]) => `${member}: ${ascii(JSON.stringify(value))}`);
	return `---\n${lines.join("\n")}\n---\nIt does what its script says.\n`;
}

function contentOf(content: unknown): Uint8Array {
	if (typeof content === "string") return encodeUtf8(content);
	if (isFields(content) && Object.keys(content).length === 1 && ("b64" in content || "hex" in content))
		return dataBytes(content);
	return encodeUtf8(JSON.stringify(expandRules(content)));
}

/** The player with the script in it: a string literal that both languages read the same way. */
function entryOf(name: string, plan: PackagePlan, around: Surroundings): string {
	const steps = plan.steps!;
	const script = {
		name,
		evidence: around.evidence,
		patienceMs: around.patienceMs,
		lifetimeMs: around.lifetimeMs,
		lean: plan.lean === true,
		// A component that writes before it was asked says so itself.
		steps: steps.some((step) => "root" in step) ? steps : [{ root: true }, ...steps],
	};
	const literal = JSON.stringify(ascii(JSON.stringify(script)));
	return around.entry === "mjs"
		? around.player.replace("const SCRIPT = null;", () => `const SCRIPT = JSON.parse(${literal});`)
		: around.player.replace("SCRIPT = None", () => `SCRIPT = json.loads(${literal})`);
}

/** JSON text in ASCII: what isn't is escaped. */
function ascii(json: string): string {
	return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The job file of a case (HOST.md, The job). */
export function jobOf(each: HostCase, around: Surroundings): Fields {
	const { job = {} } = each;
	return {
		job: "host-job/1",
		name: each.name,
		package: around.packageAt("root"),
		input: expandRules(job.input ?? null),
		deadlineMs: job.deadlineMs ?? 60_000,
		evidence: around.evidence,
		needs: needsOf(each),
		...contextOf(job, each, around),
		...(job.cancel === undefined
			? {}
			: {
					cancel: "afterMark" in job.cancel ? { afterFile: `${around.evidence}/${job.cancel.afterMark}` } : job.cancel,
				}),
		...(job.channels === undefined ? {} : { channels: expandRules(marks(job.channels, around)) }),
		...(job.limits === undefined ? {} : { limits: job.limits }),
	};
}

function contextOf(plan: ContextPlan, each: HostCase, around: Surroundings): Fields {
	const { settings = {}, attachments = {}, children = {}, capabilities = {} } = plan;
	return {
		settings: expandRules(settings),
		attachments: mapped(attachments, (access, name) => ({ path: around.attachmentAt(name), access })),
		children: mapped(children, (child) => ({
			package: around.packageAt(child.package),
			...contextOf(child, each, around),
		})),
		capabilities: mapped(capabilities, (provider) => providerOf(provider, each, around)),
	};
}

function providerOf({ contract, answers }: ProviderPlan, each: HostCase, around: Surroundings): Fields {
	return {
		...(contract === undefined ? {} : { contract: { ...identityOf(contract.of, each), ...contract.as } }),
		answers: expandRules(answers.map((answer) => marks(answer, around))),
	};
}

/** Where data says `afterMark` or `marks`, the adapter reads `afterFile` or `makesFile`. */
function marks(value: unknown, around: Surroundings): unknown {
	if (Array.isArray(value)) return value.map((item) => marks(item, around));
	if (!isFields(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => {
			const file = name === "afterMark" ? "afterFile" : name === "marks" ? "makesFile" : undefined;
			return file === undefined ? [name, marks(item, around)] : [file, `${around.evidence}/${String(item)}`];
		}),
	);
}

function identityOf(path: string, each: HostCase): ContractIdentity {
	return parseCapabilityContractValue(expandRules(field(each.files ?? {}, path)) as JsonValue).identity;
}

function mapped<T>(map: { readonly [name: string]: T }, turn: (value: T, name: string) => unknown): Fields {
	return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, turn(value, name)]));
}

/** What a host must be able to do for a case, beside running one component: an adapter that can't, says so. */
export function needsOf(each: HostCase): string[] {
	const packages = [...packagesOf(each).values()];
	const needs = new Set<string>();
	const uses = (text: string): boolean => packages.some((plan) => JSON.stringify(plan.steps ?? []).includes(text));
	if (packages.length > 1) needs.add("children");
	for (const plan of packages) {
		const files = Object.keys(plan.files ?? {});
		for (const kind of ["input", "settings", "result"]) if (files.includes(`${kind}.schema.json`)) needs.add("schemas");
		if (plan.declares !== undefined && "uses" in plan.declares) needs.add("capabilities");
		if (plan.declares !== undefined && "attachments" in plan.declares) needs.add("attachments");
		if (plan.declares !== undefined && "channels" in plan.declares) needs.add("channels");
		if (files.some((path) => path.startsWith("contracts/"))) needs.add("contracts");
	}
	const ports = packages.map((plan) => JSON.stringify([plan.declares?.channels ?? {}, plan.steps ?? []])).join();
	if (needs.has("channels") || uses('"channel"')) {
		if (ports.includes('"schema":')) needs.add("channel-schemas");
		if (ports.includes('"contract":')) needs.add("channel-contracts");
	}
	if (uses('"channel"') || uses('"channel/') || each.job?.channels !== undefined) needs.add("channels");
	if (each.job?.channels !== undefined) needs.add("root-channels");
	return [...needs].sort();
}
