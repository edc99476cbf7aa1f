import {
	CHANNEL_CONTRACT_URI,
	CONTRACT_LIMITS,
	type ContractIdentity,
	parseCapabilityContract,
	parseChannelContract,
} from "../../../src/contract/index.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { isJsonObject, parseJson } from "../../../src/json/index.ts";
import { nodeSha256 } from "../sha256.ts";
import { readWith } from "./input.ts";
import type { Output } from "./output.ts";

interface Described {
	readonly kind: "capability" | "channel";
	readonly identity: ContractIdentity;
	/** A capability's methods. */
	readonly methods?: readonly string[];
}

/** `millrace contract FILE`: checks a Capability or Channel Contract/1 descriptor and derives its identity. */
export async function contractCommand(file: string, output: Output): Promise<void> {
	const { kind, identity, methods } = await readWith(file, CONTRACT_LIMITS.bytes, describe);
	const lines = [
		`${kind} contract`,
		`id        ${escapeForDisplay(identity.id)}`,
		`version   ${identity.version}`,
		`digest    ${identity.digest}`,
		...(methods === undefined ? [] : [`methods   ${methods.join(", ")}`]),
	];
	await output.answer(lines.join("\n"), {
		status: "succeeded",
		kind,
		...identity,
		...(methods === undefined ? {} : { methods }),
	});
}

function describe(bytes: Uint8Array): Described {
	const options = { sha256: nodeSha256 };
	if (isChannelContract(bytes)) return { kind: "channel", identity: parseChannelContract(bytes, options).identity };
	const { identity, methods } = parseCapabilityContract(bytes, options);
	return { kind: "capability", identity, methods: [...methods.keys()] };
}

/** A descriptor says by its `$schema` what it is; whatever says nothing valid is refused as a capability contract. */
function isChannelContract(bytes: Uint8Array): boolean {
	if (bytes.length > CONTRACT_LIMITS.bytes) return false;
	try {
		const value = parseJson(bytes);
		return isJsonObject(value) && Object.hasOwn(value, "$schema") && value.$schema === CHANNEL_CONTRACT_URI;
	} catch {
		return false;
	}
}
