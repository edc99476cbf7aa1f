import {
	type CapabilityContract,
	ContractError,
	type ContractIdentity,
	isContractIdentity,
	parseCapabilityContractValue,
	sameIdentity,
} from "../contract/index.ts";
import { isLocalName } from "../grammar/index.ts";
import { admitJson, JsonError, type JsonObject } from "../json/index.ts";
import type { Entrypoint } from "../package/index.ts";
import { checkSettings } from "./check.ts";
import { type FailureCode, HostError, type Phase } from "./errors.ts";
import { type Stage, stageOf } from "./loaded.ts";
import type { CapabilityProvider, ChildBinding, ChildFunction, ChildTarget, ContextOptions } from "./options.ts";
import type { Access, AttachmentSource, HostRuntime } from "./ports.ts";

/** A capability slot as `FLOW.md` declares it, with the provider bound to it. */
export interface BoundSlot {
	/** Undefined for a `local: true` slot. */
	readonly contract: CapabilityContract | undefined;
	readonly provider: CapabilityProvider | undefined;
}

export type BoundChild = { readonly call: ChildFunction } | { readonly context: Context };

/** Everything one invocation is given beside its input, checked before anything starts. */
export interface Context {
	readonly stage: Stage;
	/** Undefined where a handler of the host's program runs in its place. */
	readonly entrypoint: Entrypoint | undefined;
	readonly settings: JsonObject;
	readonly attachments: readonly {
		readonly name: string;
		readonly source: AttachmentSource;
		readonly access: Access;
	}[];
	readonly children: ReadonlyMap<string, BoundChild>;
	readonly slots: ReadonlyMap<string, BoundSlot>;
}

/**
 * Checks a package and what it is given, children included, before anything starts: an entrypoint this environment can
 * launch, settings, attachments, providers. Throws a `HostError` of phase `package` or `activation`, and a `TypeError`
 * where the options themselves are malformed.
 */
export function admitContext(stage: Stage, options: ContextOptions, runtime: HostRuntime): Context {
	return new Admission(runtime).admit(stage, options, options, "");
}

class Admission {
	readonly #runtime: HostRuntime;
	/** By the object that describes a context, so that one may bind itself. */
	readonly #admitted = new Map<object, Context>();

	constructor(runtime: HostRuntime) {
		this.#runtime = runtime;
	}

	admit(stage: Stage, options: ContextOptions, key: object, where: string): Context {
		const known = this.#admitted.get(key);
		if (known !== undefined) return known;
		const children = new Map<string, BoundChild>();
		const context: Context = {
			stage,
			entrypoint: this.#entrypoint(stage, where),
			settings: settingsOf(stage, options, where),
			attachments: attachmentsOf(stage, options, where),
			children,
			slots: slotsOf(stage, options, where),
		};
		this.#admitted.set(key, context);
		for (const [slot, binding] of named(options.children, "children")) {
			children.set(slot, this.#child(binding, `${where}Child slot "${slot}": `));
		}
		return context;
	}

	#entrypoint(stage: Stage, where: string): Entrypoint | undefined {
		if (stage.handler !== undefined) return undefined;
		const { entrypoint } = stage.snapshot;
		if (entrypoint === undefined) {
			throw refuse(
				"PACKAGE_INSTRUCTIONS_ONLY",
				where,
				"The package has no flow.<suffix>; there is nothing to execute.",
			);
		}
		if (stage.launch !== undefined) return entrypoint;
		const launcher = this.#runtime.launcherFor(entrypoint);
		if (!launcher.ok) throw refuse(launcher.code, where, launcher.message);
		return entrypoint;
	}

	#child(binding: ChildBinding, where: string): BoundChild {
		if (typeof binding === "function") return { call: binding };
		const plain = stageOf(binding);
		if (plain !== undefined) return { context: this.admit(plain, {}, binding, where) };
		const stage = stageOf((binding as ChildTarget | undefined)?.package);
		if (stage === undefined) {
			throw new TypeError(`${where}bind a loaded package, { package, ... } or a function.`);
		}
		return { context: this.admit(stage, binding as ChildTarget, binding, where) };
	}
}

function refuse(
	code: FailureCode,
	where: string,
	message: string,
	more: { cause?: unknown; details?: unknown } = {},
): HostError {
	const phase: Phase = code.startsWith("PACKAGE_") ? "package" : "activation";
	return new HostError(where + message, { code, phase, ...(more as { cause?: unknown }) });
}

/** The own entries of an options map, each name a LocalName. */
function named<T>(map: Readonly<Record<string, T>> | undefined, option: string): [string, T][] {
	if (map === undefined) return [];
	if (typeof map !== "object" || map === null) throw new TypeError(`options.${option} must be an object.`);
	const entries = Object.entries(map);
	for (const [name] of entries) {
		if (!isLocalName(name)) throw new TypeError(`options.${option}: ${JSON.stringify(name)} is not a LocalName.`);
	}
	return entries;
}

function settingsOf(stage: Stage, options: ContextOptions, where: string): JsonObject {
	const checked = checkSettings(stage.snapshot, options.settings === undefined ? {} : options.settings);
	if ("value" in checked) return checked.value;
	throw refuse(checked.refusal.code, where, checked.refusal.message, { details: checked.refusal.details });
}

function attachmentsOf(stage: Stage, options: ContextOptions, where: string): Context["attachments"] {
	const declared = stage.snapshot.attachments;
	const given = new Map(named(options.attachments, "attachments"));
	for (const [name, source] of given) {
		if (typeof source?.path !== "string" || source.path === "") {
			throw new TypeError(`options.attachments: "${name}" needs a path.`);
		}
		const access = source.access ?? "read";
		if (access !== "read" && access !== "read-write") {
			throw new TypeError(`options.attachments: "${name}" has an access that is neither read nor read-write.`);
		}
		const most = declared.get(name);
		if (most === undefined) {
			throw refuse("ATTACHMENT_UNDECLARED", where, `FLOW.md declares no attachment "${name}".`);
		}
		if (access === "read-write" && most === "read") {
			throw refuse(
				"ATTACHMENT_ACCESS",
				where,
				`FLOW.md declares attachment "${name}" as read; it was given read-write.`,
			);
		}
	}
	return [...declared.keys()].map((name) => {
		const source = given.get(name);
		if (source === undefined) {
			throw refuse("ATTACHMENT_MISSING", where, `FLOW.md declares attachment "${name}"; none was given.`);
		}
		return { name, source, access: source.access ?? "read" };
	});
}

function slotsOf(stage: Stage, options: ContextOptions, where: string): Map<string, BoundSlot> {
	const providers = new Map(named(options.capabilities, "capabilities"));
	for (const [slot, provider] of providers) {
		// A function has a `call` of its own, which is not meant.
		if (typeof provider === "function" || typeof provider?.call !== "function") {
			throw new TypeError(
				`options.capabilities: "${slot}" needs an object { call }, or { contract, call } where FLOW.md names a contract.`,
			);
		}
		if (!stage.snapshot.uses.has(slot)) {
			throw refuse("SLOT_UNDECLARED", where, `FLOW.md declares no capability slot "${slot}".`);
		}
	}
	const slots = new Map<string, BoundSlot>();
	for (const [slot, use] of stage.snapshot.uses) {
		const contract = "contract" in use ? use.contract : undefined;
		const provider = providers.get(slot);
		if (provider !== undefined) matchProvider(slot, contract, provider, where);
		slots.set(slot, { contract, provider });
	}
	return slots;
}

/** Exact triples only; a local slot and a contract never satisfy each other (Capability Contract/1 sections 3 and 4). */
function matchProvider(
	slot: string,
	contract: CapabilityContract | undefined,
	provider: CapabilityProvider,
	where: string,
): void {
	const claimed = claimOf(slot, provider, where);
	if (contract === undefined) {
		if (claimed === undefined) return;
		throw refuse("PROVIDER_MISMATCH", where, `Slot "${slot}" is local: its provider must not claim a contract.`);
	}
	const wanted = contract.identity;
	if (claimed === undefined) {
		throw refuse(
			"PROVIDER_MISMATCH",
			where,
			`Slot "${slot}" needs a provider of ${wanted.id} ${wanted.version}; this one names no contract.`,
		);
	}
	if (sameIdentity(claimed, wanted)) return;
	const differs = claimed.id !== wanted.id ? "id" : claimed.version !== wanted.version ? "version" : "digest";
	throw refuse(
		"PROVIDER_MISMATCH",
		where,
		`Slot "${slot}" needs ${wanted.id} ${wanted.version} ${wanted.digest}; the provider's ${differs} is ${claimed[differs]}.`,
	);
}

function claimOf(slot: string, provider: CapabilityProvider, where: string): ContractIdentity | undefined {
	const { contract } = provider;
	if (contract === undefined) return undefined;
	if (isContractIdentity(contract)) return contract;
	const { identity } = contract as { readonly identity?: unknown };
	if (isContractIdentity(identity)) return identity;
	try {
		return parseCapabilityContractValue(admitJson(contract)).identity;
	} catch (cause) {
		if (!(cause instanceof ContractError || cause instanceof JsonError)) throw cause;
		throw refuse(
			"PROVIDER_MISMATCH",
			where,
			`The provider of slot "${slot}" names no valid contract: ${cause.message}`,
			{ cause },
		);
	}
}
