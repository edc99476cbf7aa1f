import { parseCapabilityContract, parseChannelContract } from "../../../src/contract/index.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { isJsonObject, parseJson } from "../../../src/json/index.ts";
import { readBytes } from "./input.ts";
import type { Output } from "./output.ts";

const DESCRIPTOR_BYTES = 262_144;
const CHANNEL_URI = "https://flow.jig.md/schemas/channel-contract-1.schema.json";

/** `millrace contract FILE`: checks a Capability or Channel Contract/1 descriptor and derives its identity. */
export async function contractCommand(file: string, output: Output): Promise<void> {
	const bytes = await readBytes(file, DESCRIPTOR_BYTES);
	const { kind, identity, names } = readDescriptor(bytes);
	await output.answer(
		[
			`${kind} contract`,
			`id        ${escapeForDisplay(identity.id)}`,
			`version   ${identity.version}`,
			`digest    ${identity.digest}`,
		]
			.concat(names.length === 0 ? [] : [`methods   ${names.join(", ")}`])
			.join("\n"),
		{ status: "succeeded", kind, ...identity, ...(kind === "capability" ? { methods: names } : {}) },
	);
}

function readDescriptor(bytes: Uint8Array) {
	if (bytes.length <= DESCRIPTOR_BYTES && declaresChannel(bytes)) {
		return { kind: "channel", identity: parseChannelContract(bytes).identity, names: [] as string[] };
	}
	const contract = parseCapabilityContract(bytes);
	return { kind: "capability", identity: contract.identity, names: [...contract.methods.keys()] };
}

function declaresChannel(bytes: Uint8Array): boolean {
	const value = parseJson(bytes);
	return isJsonObject(value) && Object.hasOwn(value, "$schema") && value.$schema === CHANNEL_URI;
}
