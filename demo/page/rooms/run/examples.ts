/** Packages to start from, with the children and capabilities that this page gives them. */
import { type JsonValue, memorySource, type PackageSource, parseCapabilityContract } from "millrace";
import type { CapabilityProvider, ChannelReceiver, ProviderAnswer, ProviderCall } from "millrace/host";
import flows from "page-flows";

export interface Example {
	/** Also the last part of the room's address. */
	readonly name: string;
	readonly title: string;
	readonly about: string;
	readonly input: JsonValue;
	readonly deadlineSeconds: number;
	/** Packages by slot. */
	readonly children?: Readonly<Record<string, string>>;
	/** Made anew for each Run. */
	readonly capabilities?: () => Readonly<Record<string, CapabilityProvider>>;
}

export const EXAMPLES: readonly Example[] = [
	{
		name: "greet",
		title: "A greeting",
		about: "One call, one answer: the shortest Run there is.",
		input: { name: "Ada" },
		deadlineSeconds: 30,
	},
	{
		name: "parent",
		title: "A child and a capability",
		about: "Asks a capability for a title, then has a child Flow greet.",
		input: { name: "Ada" },
		deadlineSeconds: 30,
		children: { greeter: "greet" },
		capabilities: () => ({ titles: provider("parent", "contracts/titles.capability.json", titles()) }),
	},
	{
		name: "survey",
		title: "A broadcast",
		about: "A station sends readings; a summary and an archive follow them.",
		input: { place: "Hobart", celsius: [11.5, 12, 14.25, 13, 10.5] },
		deadlineSeconds: 30,
		children: { station: "station", summary: "summary" },
		capabilities: () => ({ archive: provider("survey", "contracts/archive.capability.json", archive) }),
	},
	{
		name: "slow",
		title: "Something to cancel",
		about: "Counts seconds, and stops at once when it is cancelled.",
		input: { seconds: 30 },
		deadlineSeconds: 60,
	},
	{
		name: "unfit",
		title: "A broken promise",
		about: "Its answer breaks its own result schema.",
		input: [1, 2, 3],
		deadlineSeconds: 30,
	},
	{
		name: "endless",
		title: "An endless loop",
		about: "Hears nobody: its deadline ends it.",
		input: null,
		deadlineSeconds: 3,
	},
	{
		name: "chatty",
		title: "A flood",
		about: "Writes to its console until it is stopped.",
		input: { lines: 2_000_000 },
		deadlineSeconds: 60,
	},
	{
		name: "crowd",
		title: "A long trace",
		about: "Thousands of calls, many at once.",
		input: { calls: 2_000, atOnce: 16 },
		deadlineSeconds: 120,
		capabilities: () => ({ counter: provider("crowd", "contracts/counter.capability.json", counter()) }),
	},
];

/** A package that came with the page. Throws `TypeError` for a name that none has. */
export function exampleSource(name: string): PackageSource {
	const files = flows[name];
	if (files === undefined) throw new TypeError(`This page has no package "${name}".`);
	return memorySource(files);
}

type Answer = (call: ProviderCall) => ProviderAnswer | Promise<ProviderAnswer>;

function provider(flow: string, descriptor: string, call: Answer): CapabilityProvider {
	return { contract: parseCapabilityContract(flows[flow]![descriptor]!), call };
}

function titles(): Answer {
	const known = new Map([
		["Ada", "Countess"],
		["Grace", "Rear Admiral"],
		["Isaac", "Sir"],
	]);
	return ({ input }) => {
		const { name } = input as { readonly name: string };
		const title = known.get(name);
		return title === undefined ? { error: { name: "unknown-name", data: { name } } } : { value: { title } };
	};
}

const archive: Answer = async ({ channels }) => {
	let recorded = 0;
	for await (const _ of channels.readings as ChannelReceiver) recorded += 1;
	return { value: { recorded } };
};

function counter(): Answer {
	let value = 0;
	return () => {
		value += 1;
		return { value: { value } };
	};
}
