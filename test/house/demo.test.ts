import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const survey = fileURLToPath(new URL("../../demo/survey.mjs", import.meta.url));

test("a channel wired between two children and a provider, run by one command and drawn from its trace", async () => {
	const place = mkdtempSync(join(tmpdir(), "millrace-demo-"));
	onTestFinished(() => rmSync(place, { recursive: true, force: true }));
	const file = join(place, "survey.svg");
	const { stdout } = await promisify(execFile)(process.execPath, [survey, file], { timeout: 60_000 });
	expect(stdout).toContain(
		'done {"place":"Hobart","summary":{"readings":5,"mean":12.25,"warmest":14.25},"recorded":5}',
	);
	expect(stdout).toMatch(/flow\/run-child station \(read\) with readings/);
	expect(stdout).toMatch(/item 5\.+>\|/);
	expect(stdout).toContain('archived [["Hobart",[{"hour":0,"celsius":11.5}');
	expect(readFileSync(file, "utf8")).toMatch(/^<svg /);
}, 60_000);
