/** Contract identities, Capability Contract/1, Channel Contract/1 and channel declarations. */

export {
	CAPABILITY_CONTRACT_URI,
	type CapabilityContract,
	type CapabilityMethod,
	parseCapabilityContract,
	parseCapabilityContractValue,
} from "./capability.ts";
export {
	CHANNEL_CONTRACT_URI,
	type ChannelContract,
	parseChannelContract,
	parseChannelContractValue,
} from "./channel.ts";
export { type ChannelDeclaration, parseChannelDeclarations } from "./channel-declarations.ts";
export { CONTRACT_LIMITS, type ContractOptions } from "./descriptor.ts";
export { ContractError, type ContractErrorCode } from "./error.ts";
export {
	type ContractIdentity,
	isContractId,
	isContractIdentity,
	isContractVersion,
	sameIdentity,
} from "./identity.ts";
export { type ContractClaim, type Equivocation, findEquivocation, satisfiesContract } from "./match.ts";
