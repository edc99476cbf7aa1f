// Holds the floors of the house, on the source and on the built files: the core names no environment, and no room
// imports upward. Prints each violation and exits 1; `npm run lint` runs it, and so does the test beside it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The rooms from the ground up: a room may import itself and any room before it. */
const FLOORS = [
	"web",
	"display",
	"digest",
	"sha256",
	"unicode",
	"json",
	"grammar",
	"schema",
	"contract",
	"package",
	"run",
	"sdk",
	"host",
];

/** The packages a room of the core may import, by room. */
const PACKAGES = { sha256: ["@noble/hashes/sha2.js"], package: ["yaml"] };

/** Globals that name an environment, a clock, a locale or an evaluator. */
const FORBIDDEN_GLOBALS = new Set([
	...[
		"process",
		"Buffer",
		"require",
		"module",
		"__dirname",
		"__filename",
		"Deno",
		"Bun",
		"window",
		"document",
		"navigator",
	],
	...[
		"self",
		"localStorage",
		"setTimeout",
		"setInterval",
		"setImmediate",
		"queueMicrotask",
		"clearTimeout",
		"performance",
	],
	...[
		"Date",
		"crypto",
		"Intl",
		"eval",
		"Function",
		"fetch",
		"XMLHttpRequest",
		"WebSocket",
		"Worker",
		"console",
		"WebAssembly",
	],
]);

/** Members whose answer follows the engine's locale or Unicode version, or chance. */
const FORBIDDEN_MEMBERS = new Set([
	...[
		"localeCompare",
		"toLocaleString",
		"toLocaleLowerCase",
		"toLocaleUpperCase",
		"normalize",
		"toLowerCase",
		"toUpperCase",
	],
	"random",
]);

/** The one exception: the layer that turns console output to stderr may name the console (Run SDK/1 section 1). */
const EXCEPTIONS = { web: new Set(["globalThis"]) };

function* filesBelow(directory, ending) {
	for (const entry of readdirSync(directory, { withFileTypes: true })) {
		const path = `${directory}/${entry.name}`;
		if (entry.isDirectory()) yield* filesBelow(path, ending);
		else if (entry.name.endsWith(ending) && !entry.name.endsWith(".d.ts")) yield path;
	}
}

function roomOf(root, path) {
	const [first] = relative(root, path).split(sep);
	return first.replace(/\.(ts|js)$/, "");
}

function importsOf(source) {
	const found = [];
	const visit = (node) => {
		if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
			found.push({ node, specifier: node.moduleSpecifier.text });
		else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
			found.push({
				node,
				specifier: ts.isStringLiteralLike(node.arguments[0]) ? node.arguments[0].text : "(computed)",
			});
		else if (ts.isImportTypeNode(node)) found.push({ node, specifier: node.argument.literal?.text ?? "(computed)" });
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** Whether an identifier reads a name from its surroundings (not a member name, a key or a declaration's own name). */
function isReference(node) {
	const parent = node.parent;
	if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
	if (ts.isQualifiedName(parent)) return parent.left === node;
	if (ts.isTypeNode(parent) || ts.isInterfaceDeclaration(parent) || ts.isTypeParameterDeclaration(parent)) return false;
	if (ts.isPropertyAssignment(parent) || ts.isParameter(parent) || ts.isBindingElement(parent))
		return parent.initializer === node;
	if (ts.isVariableDeclaration(parent)) return parent.initializer === node;
	if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent)) return false;
	return !(
		(ts.isMethodDeclaration(parent) ||
			ts.isMethodSignature(parent) ||
			ts.isPropertySignature(parent) ||
			ts.isPropertyDeclaration(parent) ||
			ts.isFunctionDeclaration(parent) ||
			ts.isClassDeclaration(parent) ||
			ts.isLabeledStatement(parent)) &&
		parent.name === node
	);
}

function checkFile(root, path, report) {
	const room = roomOf(root, path);
	const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
	const at = (node, message) => {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart());
		report(`${relative(repository, path)}:${line + 1}: ${message}`);
	};
	const floor = FLOORS.indexOf(room);
	if (floor < 0 && room !== "index") at(source, `"${room}" is no room of the house; add it to FLOORS where it belongs`);
	for (const { node, specifier } of importsOf(source)) {
		if (specifier.startsWith(".")) {
			const target = resolve(dirname(path), specifier);
			const targetRoom = roomOf(root, target);
			if (targetRoom === "..") at(node, `imports ${specifier} from outside the core`);
			else if (room !== "index" && FLOORS.indexOf(targetRoom) > floor)
				at(node, `${room} imports upward from ${targetRoom}`);
		} else if (!PACKAGES[room]?.includes(specifier)) at(node, `imports "${specifier}", which ${room} may not`);
	}
	const visit = (node) => {
		if (ts.isIdentifier(node) && FORBIDDEN_GLOBALS.has(node.text) && isReference(node))
			at(node, `names the global ${node.text}`);
		else if (
			ts.isIdentifier(node) &&
			node.text === "globalThis" &&
			isReference(node) &&
			!EXCEPTIONS[room]?.has("globalThis")
		)
			at(node, "reaches for globalThis; take what you need from web or through a port");
		else if (ts.isPropertyAccessExpression(node) && FORBIDDEN_MEMBERS.has(node.name.text))
			at(node, `uses .${node.name.text}, whose answer is not this library's`);
		ts.forEachChild(node, visit);
	};
	visit(source);
}

/** All violations, as `file:line: what` lines. */
export function floorViolations() {
	const violations = [];
	const report = (line) => violations.push(line);
	for (const path of filesBelow(`${repository}src`, ".ts")) checkFile(`${repository}src`, path, report);
	if (existsSync(`${repository}dist/src`))
		for (const path of filesBelow(`${repository}dist/src`, ".js")) checkFile(`${repository}dist/src`, path, report);
	return violations;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const violations = floorViolations();
	for (const line of violations) console.error(line);
	console.log(
		violations.length === 0
			? "floors: the core is neutral and nothing imports upward"
			: `floors: ${violations.length} violations`,
	);
	process.exitCode = violations.length === 0 ? 0 : 1;
}
