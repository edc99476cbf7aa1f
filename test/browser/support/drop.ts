import type { Page } from "playwright-core";

/** Drops real files and folders of this machine on the first that `selector` finds, as a file manager does. */
export async function dropPaths(page: Page, selector: string, paths: readonly string[]): Promise<void> {
	const box = await page.locator(selector).first().boundingBox();
	if (box === null) throw new Error(`There is nothing to drop on at ${selector}.`);
	const session = await page.context().newCDPSession(page);
	const data = { items: [], files: [...paths], dragOperationsMask: 1 };
	const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
	for (const type of ["dragEnter", "dragOver", "drop"] as const) {
		await session.send("Input.dispatchDragEvent", { type, x, y, data });
	}
	await session.detach();
}
