/** What users can import is what was reviewed. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { describeApi, SNAPSHOT } from "./api.mjs";

it("the public types are those of api.txt; after a wanted change, node test/house/api.mjs writes it anew", {
	timeout: 60_000,
}, () => {
	expect(describeApi()).toBe(readFileSync(SNAPSHOT, "utf8"));
});
