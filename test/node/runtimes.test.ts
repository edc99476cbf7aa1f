import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "../runtimes/installed.ts";
import { codeOf, countedRuntime, runToEnd, writeTree } from "./fixtures.ts";

describe.each(["deno", "bun"] as const)("a staged package under %s", (name) => {
	const executable = installed(name);
	const options = { selectors: { [name]: executable ?? `/nowhere/${name}` }, suffixes: { ts: name } };

	test.skipIf(executable === undefined)("finds the SDK under both names, as one module", async () => {
		const { runtime, left } = countedRuntime(options);
		const flow = `import { handle } from "@jigging/flow"; import * as sdk from "millrace/sdk";
			const same: boolean = handle === sdk.handle; process.stdout.write(String(same));`;
		const { out, err } = await runToEnd(
			runtime,
			{ "flow.ts": `import process from "node:process";\n${flow}` },
			"flow.ts",
		);
		expect([err, out]).toEqual(["", "true"]);
		expect(left()).toEqual([]);
	});

	test.skipIf(executable === undefined)(
		"isn't redirected by a tsconfig.json or jsconfig.json above its stage",
		async () => {
			for (const file of ["tsconfig.json", "jsconfig.json"]) {
				const { runtime, base } = countedRuntime(options);
				writeTree(base, {
					[file]: JSON.stringify({ compilerOptions: { paths: { "millrace/sdk": [join(base, "other.mjs")] } } }),
					"other.mjs": "export const handle = 0;",
				});
				const flow = `import process from "node:process"; import { handle } from "millrace/sdk"; process.stdout.write(typeof handle);`;
				expect((await runToEnd(runtime, { "flow.ts": flow }, "flow.ts")).out).toBe("function");
			}
		},
	);

	test.skipIf(executable === undefined)("runs only what was hashed: nothing is fetched", async () => {
		const { runtime } = countedRuntime(options);
		const { exitCode } = await runToEnd(runtime, { "flow.ts": `import "left-pad"; console.log("ran");` }, "flow.ts");
		expect(exitCode).not.toBe(0);
	});

	test.skipIf(executable !== undefined)("is refused where it isn't installed", async () => {
		const { runtime } = countedRuntime(options);
		expect(await codeOf(() => runToEnd(runtime, { "flow.ts": "" }, "flow.ts"))).toBe("RUNTIME_UNSUPPORTED");
	});
});
