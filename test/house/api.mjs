// The public types, door by door, as a text that is reviewed like code: `node test/house/api.mjs` writes api.txt from the built
// declarations, and a test holds it against them. A difference there is a change that users of the library see.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const repository = fileURLToPath(new URL("../..", import.meta.url));

export const SNAPSHOT = fileURLToPath(new URL("api.txt", import.meta.url));

/** Every door with the declarations that the package gives for it. */
function doors() {
	const { exports } = JSON.parse(readFileSync(`${repository}package.json`, "utf8"));
	return Object.entries(exports).flatMap(([name, target]) =>
		typeof target === "object" && target.types !== undefined ? [[name, repository + target.types.slice(2)]] : [],
	);
}

/** A declaration on one line for each of its own lines, without comments and without what is private. */
function print(declaration, printer) {
	const shown = ts.isClassDeclaration(declaration)
		? ts.factory.updateClassDeclaration(
				declaration,
				declaration.modifiers,
				declaration.name,
				declaration.typeParameters,
				declaration.heritageClauses,
				declaration.members.filter((member) => member.name === undefined || !ts.isPrivateIdentifier(member.name)),
			)
		: declaration;
	const node = ts.isVariableDeclaration(shown) ? shown.parent.parent : shown;
	return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
}

/** The text of all doors: each exported name in order, with every declaration of it. */
export function describeApi() {
	const found = doors();
	const program = ts.createProgram(
		found.map(([, file]) => file),
		{
			module: ts.ModuleKind.NodeNext,
			moduleResolution: ts.ModuleResolutionKind.NodeNext,
			types: ["node"],
			skipLibCheck: true,
		},
	);
	const checker = program.getTypeChecker();
	const printer = ts.createPrinter({ removeComments: true });
	const parts = found.map(([name, file]) => {
		const module = checker.getSymbolAtLocation(program.getSourceFile(file));
		const symbols = checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
		const lines = symbols.flatMap((symbol) => {
			const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
			const renamed = own.name === symbol.name ? [] : [`// ${own.name} as ${symbol.name}`];
			return [...renamed, ...(own.declarations ?? []).map((declaration) => print(declaration, printer)), ""];
		});
		return `## millrace${name.slice(1)}\n\n${lines.join("\n")}`;
	});
	return `${parts.join("\n").trimEnd()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	writeFileSync(SNAPSHOT, describeApi());
	console.log("api: test/house/api.txt holds the public types as they are built now");
}
