import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { generateSchemaModule } from "../../src/schema/index.ts";
import { asked, millrace, workspace, writeTree } from "./command.ts";

const SCHEMA = '{"$schema": "https://flow.jig.md/schemas/schema-1.json", "type": "array", "items": {"minLength": 2}}';
const folder = (): string => writeTree(workspace(), { "list.schema.json": SCHEMA });

describe.concurrent("schema compile", () => {
	test("writes a module and its declarations, and neither again without --force", async () => {
		const cwd = folder();
		const words = ["schema", "compile", "list.schema.json", "-o", "list.mjs", "--meter"];
		const first = await asked(words, { cwd });
		expect(first).toMatchObject({
			exitCode: 0,
			answer: { status: "succeeded", path: "list.mjs", types: "list.d.mts", exports: ["accepts", "evaluate"] },
			stderr: "",
		});
		expect(readFileSync(join(cwd, "list.mjs"), "utf8")).toBe(generateSchemaModule(SCHEMA, { meter: true }).code);
		const module = await import(pathToFileURL(join(cwd, "list.mjs")).href);
		expect([module.accepts(["ab"]), module.evaluate(["a"])]).toEqual([true, { valid: false, work: 6 }]);

		const again = await asked(words, { cwd });
		expect(again).toMatchObject({ exitCode: 1, answer: { code: "FILE_EXISTS", path: "list.mjs" } });
		const forced = await millrace([...words, "--force"], { cwd });
		expect(forced).toMatchObject({ exitCode: 0, stdout: "" });
		expect(forced.stderr).toMatch(/^module {4}list\.mjs, [\d,]+ bytes: accepts, evaluate\ntypes {5}list\.d\.mts\n$/);
	});

	test("leaves nothing where the declarations may not be overwritten", async () => {
		const cwd = folder();
		writeFileSync(join(cwd, "list.d.ts"), "mine");
		const { exitCode, answer } = await asked(["schema", "compile", "list.schema.json", "-o", "list.js"], { cwd });
		expect({ exitCode, answer }).toMatchObject({ exitCode: 1, answer: { code: "FILE_EXISTS", path: "list.d.ts" } });
		expect([existsSync(join(cwd, "list.js")), readFileSync(join(cwd, "list.d.ts"), "utf8")]).toEqual([false, "mine"]);
	});

	test("reads stdin and writes stdout", async () => {
		const { code, types } = generateSchemaModule(SCHEMA);
		const [people, machine] = await Promise.all([
			millrace(["schema", "compile", "-", "-o", "-"], { input: SCHEMA }),
			asked(["schema", "compile", "-", "-o", "-"], { input: SCHEMA }),
		]);
		expect(people).toMatchObject({ exitCode: 0, stdout: code, stderr: "" });
		expect(machine.answer).toEqual({ status: "succeeded", exports: ["accepts"], code, types });
	});

	test("a refused schema: its code and place, and no file", async () => {
		const cwd = writeTree(workspace(), { "bad.json": SCHEMA.replace("minLength", "pattern") });
		const { exitCode, answer } = await asked(["schema", "compile", "bad.json", "-o", "bad.mjs"], { cwd });
		expect({ exitCode, answer }).toMatchObject({
			exitCode: 1,
			answer: { code: "SCHEMA_KEYWORD_UNSUPPORTED", schemaPointer: "/items/pattern", source: "bad.json" },
		});
		expect(existsSync(join(cwd, "bad.mjs"))).toBe(false);
	});

	test.each([
		["another ending", ["list.schema.json", "-o", "list.txt"]],
		["no output", ["list.schema.json"]],
	])("%s is a wrong command line", async (_, words) => {
		const { exitCode, stderr } = await millrace(["schema", "compile", ...words], { cwd: folder() });
		expect(exitCode).toBe(2);
		expect(stderr).toMatch(/^hint {6}millrace schema compile --help shows how$/m);
	});

	test("TypeScript takes the types, and refuses what they don't have", async () => {
		const cwd = folder();
		await millrace(["schema", "compile", "list.schema.json", "-o", "list.mjs", "--meter"], { cwd });
		writeFileSync(
			join(cwd, "use.mts"),
			'import { accepts, evaluate } from "./list.mjs";\nexport const work: number = evaluate([]).work;\nexport const wrong: string = accepts([]);\n',
		);
		const program = ts.createProgram([join(cwd, "use.mts")], {
			module: ts.ModuleKind.NodeNext,
			moduleResolution: ts.ModuleResolutionKind.NodeNext,
			target: ts.ScriptTarget.ES2022,
			strict: true,
			noEmit: true,
			types: [],
		});
		const found = ts.getPreEmitDiagnostics(program).map(({ code, start }) => [code, start]);
		expect(found).toEqual([[2322, expect.any(Number)]]);
	}, 60_000);
});
