import { describe, expect, test } from "vitest";
import {
	type ContractIdentity,
	findEquivocation,
	isContractId,
	isContractIdentity,
	isContractVersion,
	sameIdentity,
	satisfiesContract,
} from "../../src/contract/index.ts";
import type { Digest } from "../../src/sha256.ts";

const label63 = "a".repeat(63);

describe("Capability Contract/1 section 1.1: id", () => {
	test.each([
		"https://example.org/contracts/session-store",
		"https://jig.md/a",
		"https://a.b/c",
		"https://xn--bcher-kva.example/x",
		"https://a-b.c-d/~._-/0",
		"https://a.b/...",
		"https://a.b/.a/a./..a",
		`https://${label63}.${label63}/x`,
		// C1: only four labels of value 255 or less are an IP literal.
		"https://127.0.0.256/x",
		"https://999.0.0.1/x",
		"https://1.2.3/x",
		"https://1.2.3.4.5/x",
		"https://127.0.0.1a/x",
		// C2: no total bound.
		`https://${`${label63}.`.repeat(20)}org/${"p".repeat(5_000)}`,
	])("accepts %s", (id) => expect(isContractId(id)).toBe(true));

	test.each([
		"http://example.org/x",
		"HTTPS://example.org/x",
		"https:/example.org/x",
		"https://Example.org/x",
		"https://example.org/X",
		"https://example.org",
		"https://example.org/",
		"https://example.org/x/",
		"https://example.org//x",
		"https://localhost/x",
		"https://example.org./x",
		"https://.example.org/x",
		"https://-a.org/x",
		"https://a-.org/x",
		"https://a_b.org/x",
		`https://${label63}a.org/x`,
		"https://example.org:443/x",
		"https://user@example.org/x",
		"https://user:pw@example.org/x",
		"https://example.org/%20",
		"https://example.org/a%2fb",
		"https://example.org/x?y",
		"https://example.org/x#y",
		"https://example.org/.",
		"https://example.org/..",
		"https://example.org/a/../b",
		"https://example.org/a/./b",
		"https://example.org/x\n",
		"https://example.org/x\r",
		"\nhttps://example.org/x",
		"https://example.org\n/x",
		"https://example.org/x y",
		"https://example.org/é",
		"https://bücher.example/x",
		"https://127.0.0.1/x",
		"https://127.000.0.1/x",
		"https://0.0.0.0/x",
		"https://255.255.255.255/x",
		"https://0000000000127.0.0.1/x",
		"https://[::1]/x",
		"",
	])("refuses %j", (id) => expect(isContractId(id)).toBe(false));

	test.each([undefined, null, 1, {}, ["https://a.b/c"]])("refuses the non-string %j", (id) => {
		expect(isContractId(id)).toBe(false);
	});
});

describe("Capability Contract/1 section 1.1: version", () => {
	test.each(["0.0.0", "1.0.0", "10.20.30", `1.0.${"9".repeat(400)}`])("accepts %s", (version) => {
		expect(isContractVersion(version)).toBe(true);
	});

	test.each([
		"1.0",
		"1",
		"1.0.0.0",
		"01.0.0",
		"1.00.0",
		"1.0.00",
		"v1.0.0",
		"1.0.0-rc.1",
		"1.0.0+build",
		"1.0.0\n",
		"\n1.0.0",
		" 1.0.0",
		"1.0.0 ",
		"1..0",
		"1.0.",
		"-1.0.0",
		"1.0.x",
		"१.0.0",
		"",
	])("refuses %j", (version) => expect(isContractVersion(version)).toBe(false));

	test("refuses a number", () => expect(isContractVersion(1)).toBe(false));
});

const digest = (character: string): Digest => `sha256:${character.repeat(64)}`;
const claim = (version: string, character: string): ContractIdentity => ({
	id: "https://example.org/x",
	version,
	digest: digest(character),
});

describe("Capability Contract/1 section 3: exact identity", () => {
	test("only the same id, version and digest match", () => {
		expect(sameIdentity(claim("1.0.0", "a"), claim("1.0.0", "a"))).toBe(true);
		expect(sameIdentity(claim("1.0.0", "a"), claim("1.0.0", "b"))).toBe(false);
		expect(sameIdentity(claim("1.0.0", "a"), { ...claim("1.0.0", "a"), id: "https://example.org/y" })).toBe(false);
	});

	test("versions 1 and 3 don't satisfy version 2", () => {
		const required = claim("2.0.0", "a");
		expect(satisfiesContract(required, claim("1.0.0", "a"))).toBe(false);
		expect(satisfiesContract(required, claim("3.0.0", "a"))).toBe(false);
		expect(satisfiesContract(required, claim("2.0.0", "a"))).toBe(true);
	});

	test("a local seam satisfies no contract, and no contract takes a local slot", () => {
		expect(satisfiesContract(claim("1.0.0", "a"), { local: true })).toBe(false);
		expect(satisfiesContract({ local: true }, claim("1.0.0", "a"))).toBe(false);
		expect(satisfiesContract({ local: true }, { local: true })).toBe(false);
	});

	test.each([
		[{ id: "https://a.b/c", version: "1.0.0", digest: digest("a") }, true],
		[{ id: "https://a.b/c", version: "1.0.0", digest: `sha256:${"A".repeat(64)}` }, false],
		[{ id: "https://a.b/c", version: "1.0.0", digest: "a".repeat(64) }, false],
		[{ id: "https://a.b/c", version: "1.0.0", digest: `${digest("a")}\n` }, false],
		[{ id: "https://a.b/c", version: "1.0.0" }, false],
		[{ id: "https://a.b/c", version: "1.0.0", digest: digest("a"), extra: 1 }, false],
		[Object.create({ id: "https://a.b/c", version: "1.0.0", digest: digest("a") }), false],
		[[], false],
		[null, false],
	])("the shape of an identity, %#", (value, expected) => expect(isContractIdentity(value)).toBe(expected));
});

describe("Capability Contract/1 section 3: equivocation", () => {
	test("one authority that claims two digests for one id and version equivocates", () => {
		const found = findEquivocation([
			claim("1.0.0", "a"),
			claim("2.0.0", "b"),
			claim("1.0.0", "c"),
			claim("1.0.0", "a"),
		]);
		expect(found).toEqual([
			{ id: "https://example.org/x", version: "1.0.0", first: claim("1.0.0", "a"), second: claim("1.0.0", "c") },
		]);
	});

	test("different versions, and the same claim twice, don't", () => {
		expect(findEquivocation([claim("1.0.0", "a"), claim("2.0.0", "b"), claim("1.0.0", "a")])).toEqual([]);
	});

	test("an untrusted conflicting claimant has no way into an exact trusted match", () => {
		const trusted = claim("1.0.0", "a");
		const squatter = claim("1.0.0", "f");
		// Each authority is asked about alone; the match takes the consumer's and the trusted provider's claims and no other.
		expect(findEquivocation([trusted])).toEqual([]);
		expect(findEquivocation([squatter])).toEqual([]);
		expect(satisfiesContract(claim("1.0.0", "a"), trusted)).toBe(true);
		expect(satisfiesContract(claim("1.0.0", "a"), squatter)).toBe(false);
	});
});
