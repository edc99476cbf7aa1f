import { type ContractIdentity, sameIdentity } from "./identity.ts";

/** What a `uses` slot asks for, or what a provider offers: one exact public contract, or a nonportable local seam. */
export type ContractClaim = ContractIdentity | { readonly local: true };

/**
 * Whether `offered`, claimed by a provider the host trusts, satisfies `required` (Capability Contract/1 sections 3 and 4).
 *
 * A public contract is satisfied only by the same exact identity: a local seam never stands in for one. A local slot takes
 * no public contract's place either; a host binds it by its own local policy, never by matching.
 *
 * The two claims are all that is looked at. What any third party says about the same id and version has no way in, so a
 * squatter can't block an exact trusted match.
 */
export function satisfiesContract(required: ContractClaim, offered: ContractClaim): boolean {
	if ("local" in required || "local" in offered) return false;
	return sameIdentity(required, offered);
}

/** Two claims of one authority to the same id and version that derive different digests. */
export interface Equivocation {
	readonly id: string;
	readonly version: string;
	readonly first: ContractIdentity;
	readonly second: ContractIdentity;
}

/**
 * The equivocations within **one** authority: one publisher, one trusted index, one source revision, one package
 * (Capability Contract/1 section 3). Give it the claims of one authority at a time; claims of different authorities are
 * not compared anywhere, which is why an untrusted conflicting claimant can't taint a trusted one.
 *
 * One entry for every claim whose digest differs from the first claim seen for its id and version. Linear.
 */
export function findEquivocation(claimsOfOneAuthority: Iterable<ContractIdentity>): Equivocation[] {
	const seen = new Map<string, ContractIdentity>();
	const found: Equivocation[] = [];
	for (const claim of claimsOfOneAuthority) {
		const name = `${claim.id} ${claim.version}`;
		const first = seen.get(name);
		if (first === undefined) seen.set(name, claim);
		else if (first.digest !== claim.digest) {
			found.push({ id: claim.id, version: claim.version, first, second: claim });
		}
	}
	return found;
}
