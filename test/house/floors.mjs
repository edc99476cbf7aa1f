// Holds the floors of the house, on the source and on the built files: the core names no environment, and nothing
// imports upward. Prints each violation and exits 1; `npm run lint` runs it, and so does the test beside it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The rooms of `src` from the ground up: a room may import itself and any room before it; the root door sees all. */
const FLOORS = [
	"web",
	"base64",
	"display",
	"text",
	"signals",
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

/** What files below a path may import beyond `src` and their own folder: packages, other folders, or single files. */
const GRANTS = [
	["src/sha256", ["@noble/hashes/sha2.js"]],
	["src/package/yaml/", ["yaml"]],
	["adapters/archive/", ["@zip.js/zip.js/lib/zip-core-reader.js"]],
	["adapters/node/", ["node:", "adapters/archive/"]],
	["adapters/node/cli/", ["commander", "picocolors", "conformance/"]],
	["adapters/node/strip/", ["sucrase"]],
	["adapters/node/operation-store-driver", ["libsql"]],
	// A thread is told what to run.
	["adapters/node/worker-entry", ["(computed)"]],
	// What it takes of Node's folder names nothing of Node's.
	["adapters/browser/", ["adapters/archive/", "adapters/node/clock", "adapters/node/lent"]],
	["adapters/browser/worker/link", ["es-module-lexer/js"]],
	["adapters/browser/worker/strip", ["#sucrase"]],
	// The package's modules, by the URLs of their Blobs.
	["adapters/browser/worker/worker-entry", ["(computed)"]],
	["adapters/deno/", ["node:", "adapters/node/component", "adapters/node/stdio"]],
	["adapters/bun/", ["node:", "adapters/node/component"]],
];

/** Globals that name an environment, a clock, chance, a locale or an evaluator. */
const FORBIDDEN_GLOBALS = new Set(
	[
		"process Buffer require module exports __dirname __filename Deno Bun",
		"window document navigator self top parent location localStorage sessionStorage indexedDB XMLHttpRequest",
		"fetch WebSocket EventSource BroadcastChannel MessageChannel Worker SharedWorker importScripts postMessage",
		"setTimeout setInterval setImmediate queueMicrotask clearTimeout clearInterval clearImmediate",
		"requestAnimationFrame requestIdleCallback performance Date crypto",
		"Intl eval Function WebAssembly console alert",
	].flatMap((line) => line.split(" ")),
);

/** Members whose answer follows the engine's locale or Unicode version, or chance. */
const FORBIDDEN_MEMBERS = new Set([
	"localeCompare",
	"toLocaleString",
	"toLocaleLowerCase",
	"toLocaleUpperCase",
	"normalize",
	"toLowerCase",
	"toUpperCase",
	"random",
]);

/** The one file that may look at the global object: it gives the web's own globals their structural types. */
const WEB = "src/web";

/** A path without what the build adds to it: `dist/src/json/index.js` and `src/json/index.ts` are one place. */
function placeOf(path) {
	return path.replace(/^dist\//, "").replace(/\.(?:d\.ts|[cm]?[jt]s)$/, "");
}

/** The index of a place's room in {@link FLOORS}: -1 for what is no room, above all rooms for the root door. */
function floorOf(place) {
	const room = place.split("/")[1];
	return room === "index" ? FLOORS.length : FLOORS.indexOf(room);
}

/** Why the file at `place` may not import `specifier`, or undefined. */
function importFault(place, specifier) {
	const folder = posix.dirname(place);
	const relativeImport = specifier.startsWith(".");
	const target = relativeImport ? placeOf(posix.join(folder, specifier)) : specifier;
	const granted = GRANTS.some(
		([owner, names]) =>
			place.startsWith(owner) && names.some((name) => (/[:/]$/.test(name) ? target.startsWith(name) : target === name)),
	);
	if (granted) return undefined;
	if (!relativeImport) return `imports "${specifier}", which it may not`;
	const [top, home] = place.split("/");
	if (target.startsWith("src/")) {
		if (top !== "src" || floorOf(target) <= floorOf(place)) return undefined;
		return `imports upward from ${target}`;
	}
	const own = top === "adapters" ? `adapters/${home}/` : `${top}/`;
	return target.startsWith(own) ? undefined : `imports ${specifier}, which lies outside its floors`;
}

/** Every import of a file, static, re-exported, dynamic or of a type. */
function importOf(node) {
	if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
		return node.moduleSpecifier.text;
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
		return node.arguments[0] && ts.isStringLiteralLike(node.arguments[0]) ? node.arguments[0].text : "(computed)";
	if (ts.isImportTypeNode(node)) return node.argument.literal?.text ?? "(computed)";
	return undefined;
}

/** Whether an identifier reads a name from its surroundings (not a member name, a key or a declaration's own name). */
function isReference(node) {
	const parent = node.parent;
	if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
	if (ts.isQualifiedName(parent)) return parent.left === node;
	if (ts.isTypeNode(parent) || ts.isTypeParameterDeclaration(parent)) return false;
	if (ts.isBindingElement(parent) || ts.isParameter(parent) || ts.isVariableDeclaration(parent))
		return parent.initializer === node;
	if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) return parent.initializer === node;
	if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent)) return false;
	return parent.name !== node || ts.isShorthandPropertyAssignment(parent);
}

/** The names that a binding introduces. */
function* namesOf(binding) {
	if (ts.isIdentifier(binding)) yield binding.text;
	else for (const element of binding.elements) if (element.name) yield* namesOf(element.name);
}

/** The names that a scope introduces itself. */
function* declaredBy(scope) {
	if (ts.isFunctionLike(scope)) for (const { name } of scope.parameters) yield* namesOf(name);
	if (scope.variableDeclaration) yield* namesOf(scope.variableDeclaration.name);
	if (scope.initializer?.kind === ts.SyntaxKind.VariableDeclarationList)
		for (const { name } of scope.initializer.declarations) yield* namesOf(name);
	for (const statement of scope.statements ?? []) {
		if (ts.isVariableStatement(statement))
			for (const { name } of statement.declarationList.declarations) yield* namesOf(name);
		else if (ts.isImportDeclaration(statement)) {
			const { name, namedBindings } = statement.importClause ?? {};
			if (name) yield name.text;
			if (namedBindings?.name) yield namedBindings.name.text;
			for (const element of namedBindings?.elements ?? []) yield element.name.text;
		} else if (statement.name && ts.isIdentifier(statement.name)) yield statement.name.text;
	}
}

/** Whether the name is the file's own where it is read: a parameter `document` is nobody's DOM. */
function isOwnName(node) {
	for (let scope = node.parent; scope; scope = scope.parent)
		for (const name of declaredBy(scope)) if (name === node.text) return true;
	return false;
}

/** The member that an expression reads by a name known here: `a.b`, `a["b"]`. */
function memberOf(node) {
	if (ts.isPropertyAccessExpression(node)) return node.name.text;
	if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
		return node.argumentExpression.text;
	return undefined;
}

/** Digits are ASCII, whose case no Unicode version changes: `x.toString(16).toUpperCase()`. */
function isOfDigits(node) {
	const receiver = node.expression;
	return ts.isCallExpression(receiver) && memberOf(receiver.expression) === "toString";
}

/** Why a node of the neutral core may not be there, or undefined. */
function neutralityFault(place, node) {
	if (ts.isIdentifier(node) && isReference(node)) {
		if (FORBIDDEN_GLOBALS.has(node.text) && !isOwnName(node)) return `names the global ${node.text}`;
		if (node.text === "globalThis" && place !== WEB)
			return "reaches for globalThis; take what you need from web or through a port";
	}
	const member = memberOf(node);
	if (member !== undefined && FORBIDDEN_MEMBERS.has(member) && !isOfDigits(node))
		return `uses .${member}, whose answer is not this library's`;
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
		return "imports dynamically: what is loaded must be known when it is bundled";
	if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword)
		return "reads import.meta, which is its environment's";
	if (ts.isRegularExpressionLiteral(node) && /\\[pP]\{/.test(node.text))
		return "asks the engine for Unicode properties; take them from the unicode room";
	return undefined;
}

/** `require()` of the library works from Node 20.19 on, as long as no module behind a door waits while it loads. */
function isTopLevelAwait(place, node) {
	if (place.startsWith("adapters/node/cli/")) return false;
	if (!ts.isAwaitExpression(node) && !(ts.isForOfStatement(node) && node.awaitModifier)) return false;
	for (let scope = node.parent; scope; scope = scope.parent) if (ts.isFunctionLike(scope)) return false;
	return true;
}

/**
 * The violations in one file's text, as `path:line: what` lines. `path` is where it lies in the repository
 * (`src/json/parse.ts`, `dist/adapters/node/stdio.js`): which rules hold follows from it.
 */
export function checkText(path, text) {
	const violations = [];
	const place = placeOf(path);
	const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const at = (node, message) => {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart());
		violations.push(`${path}:${line + 1}: ${message}`);
	};
	if (place.startsWith("src/") && floorOf(place) < 0)
		at(source, "is in no room of the house; add its room to FLOORS where it belongs");
	const visit = (node) => {
		const specifier = importOf(node);
		const faults = [
			specifier === undefined ? undefined : importFault(place, specifier),
			place.startsWith("adapters/") ? undefined : neutralityFault(place, node),
			isTopLevelAwait(place, node) ? "waits at the top level, which require() can't" : undefined,
		];
		for (const fault of faults) if (fault !== undefined) at(node, fault);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return violations;
}

function* filesBelow(directory, ending) {
	for (const entry of readdirSync(directory, { withFileTypes: true })) {
		const path = `${directory}/${entry.name}`;
		if (entry.isDirectory()) yield* filesBelow(path, ending);
		else if (entry.name.endsWith(ending) && !entry.name.endsWith(".d.ts")) yield path;
	}
}

/** All violations of the source and of what the compiler made of it. */
export function floorViolations() {
	const roots = ["src", "adapters", "conformance"].flatMap((name) => [
		[`${repository}${name}`, ".ts"],
		[`${repository}dist/${name}`, ".js"],
	]);
	return roots
		.filter(([root]) => existsSync(root))
		.flatMap(([root, ending]) => [...filesBelow(root, ending)])
		.flatMap((file) => checkText(relative(repository, file).replaceAll(sep, "/"), readFileSync(file, "utf8")));
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
