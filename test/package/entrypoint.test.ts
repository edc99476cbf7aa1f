import { describe, expect, test } from "vitest";
import { findEntrypoint, PackageError, readSelector, SELECTOR_BYTES } from "../../src/package/index.ts";
import { bytesOf } from "./sources.ts";

describe("Package/1 section 3: the entrypoint", () => {
	test.each([
		["flow.ts", "ts"],
		["flow.m", "m"],
		["flow.0", "0"],
		["flow.abcdefghijklmnop", "abcdefghijklmnop"],
	])("%s is one", (path, suffix) => expect(findEntrypoint(["FLOW.md", path])).toEqual({ path, suffix }));

	test.each([
		"flow",
		"flow.",
		"flow.TS",
		"Flow.ts",
		"FLOW.ts",
		"flow.test.ts",
		"flow.t-s",
		"flow.abcdefghijklmnopq",
		"src/flow.ts",
		"flow.ts/x",
		"xflow.ts",
		"flow.ts\n",
		"flow.é",
	])("%j is an ordinary resource", (path) => expect(findEntrypoint(["FLOW.md", path])).toBeUndefined());

	test("two are refused", () => {
		expect(() => findEntrypoint(["FLOW.md", "flow.py", "flow.ts"])).toThrow(
			expect.objectContaining({ code: "PACKAGE_ENTRYPOINT_AMBIGUOUS", path: "flow.py", otherPath: "flow.ts" }),
		);
	});
});

describe("Package/1 section 3: the selector", () => {
	const selector64 = `a${"._+-Z9".repeat(10)}xyz`;

	test.each([
		["#!/usr/bin/env node\ncode", "node"],
		["#!/usr/bin/env node\r\ncode", "node"],
		["#!/usr/bin/env python3.12\n", "python3.12"],
		["#!/usr/bin/env 7z\n", "7z"],
		["#!/usr/bin/env c++\n", "c++"],
		[`#!/usr/bin/env ${selector64}\n`, selector64],
		[`#!/usr/bin/env ${selector64}\r\n`, selector64],
		// P7: the line may end with the file.
		["#!/usr/bin/env node", "node"],
		[`#!/usr/bin/env ${selector64}`, selector64],
		["", undefined],
		["#", undefined],
		["code", undefined],
		[" #!/usr/bin/env node\n", undefined],
		["\n#!/usr/bin/env node\n", undefined],
		["\ufeff#!/usr/bin/env node\n", undefined],
	])("%j", (text, selector) => {
		const bytes = bytesOf(text);
		expect(readSelector(bytes)).toBe(selector);
		expect(readSelector(bytes.subarray(0, SELECTOR_BYTES))).toBe(selector);
	});

	test.each([
		"#!",
		"#!\n",
		"#!/usr/bin/env",
		"#!/usr/bin/env\n",
		"#!/usr/bin/env \n",
		"#!/usr/bin/env  node\n",
		"#!/usr/bin/env\tnode\n",
		"#! /usr/bin/env node\n",
		"#!/bin/env node\n",
		"#!/usr/bin/node\n",
		"#!/usr/bin/env -S node\n",
		"#!/usr/bin/env node --flag\n",
		"#!/usr/bin/env node \n",
		"#!/usr/bin/env -node\n",
		"#!/usr/bin/env .node\n",
		"#!/usr/bin/env ./node\n",
		"#!/usr/bin/env $NODE\n",
		"#!/usr/bin/env nöde\n",
		"#!/usr/bin/env node;sh\n",
		"#!/usr/bin/env node\r",
		"#!/usr/bin/env node\rcode\n",
		"#!/usr/bin/env node\r\r\n",
		"#!/usr/bin/env node\u0000\n",
		"#!/USR/BIN/ENV node\n",
		`#!/usr/bin/env ${selector64}x\n`,
		`#!/usr/bin/env ${selector64}x`,
		`#!/usr/bin/env ${"x".repeat(500)}\n`,
	])("refuses %j", (text) => {
		for (const bytes of [bytesOf(text), bytesOf(text).subarray(0, SELECTOR_BYTES)]) {
			expect(() => readSelector(bytes, "flow.ts")).toThrow(PackageError);
			expect(() => readSelector(bytes, "flow.ts")).toThrow(
				expect.objectContaining({ code: "PACKAGE_SELECTOR_INVALID", path: "flow.ts", line: 1 }),
			);
		}
	});
});
