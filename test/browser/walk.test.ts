/** The bounds of a walk over a folder, which no test's own tree reaches. */
import { expect, it } from "vitest";
import { droppedItems } from "../../adapters/browser/folders.ts";
import { Walk } from "../../adapters/browser/walk.ts";

it.each([
	["files", 65_536],
	["folders", 262_144],
] as const)("%s end at %d, empty ones counted", (what, max) => {
	const walk = new Walk({});
	for (let count = 0; count < max; count += 1) walk.found(what);
	expect(() => walk.found(what)).toThrow(
		expect.objectContaining({ code: "PACKAGE_LIMIT_EXCEEDED", limit: { name: what, max } }),
	);
});

it("a path that no package may have is not walked further", () => {
	const walk = new Walk({});
	const long = `${"a".repeat(200)}/`.repeat(5);
	expect(walk.enter(long, "b".repeat(18))).toHaveLength(1_024);
	expect(() => walk.enter(long, "b".repeat(19))).toThrow(
		expect.objectContaining({ code: "PACKAGE_PATH_INVALID", limit: { name: "bytes", max: 1_024 } }),
	);
});

it("ends as soon as it is aborted, whatever the browser owes", async () => {
	const controller = new AbortController();
	const walk = new Walk({ signal: controller.signal });
	const listing = walk.each(["a"], () => new Promise<never>(() => {}));
	controller.abort();
	await expect(listing).rejects.toMatchObject({ code: "PACKAGE_ABORTED" });
	await expect(walk.each(["a"], () => Promise.resolve([]))).rejects.toMatchObject({ code: "PACKAGE_ABORTED" });
	await expect(walk.entries()).rejects.toMatchObject({ code: "PACKAGE_ABORTED" });
});

it("several files that a script made are the content of a folder", async () => {
	const items = ["FLOW.md", "flow.mjs"].map((name) => ({
		kind: "file",
		webkitGetAsEntry: () => null,
		getAsFile: () => new File([name], name),
	}));
	const dropped = droppedItems({ items } as unknown as DataTransfer);
	if (dropped?.kind !== "folder") expect.unreachable("no folder");
	expect((await dropped.source.list()).map(({ path }) => path).sort()).toEqual(["FLOW.md", "flow.mjs"]);
});
