// Schema/1 against Ajv (generates code) and @cfworker/json-schema (interprets): validation and compilation, in one process.
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchemaValue, generateSchemaModule, SCHEMA_URI } from "../../dist/src/schema/index.js";
import { compare, compareGrowth, compareShapes, keepMean } from "./measure.mjs";

const text = (maxLength) => ({ type: "string", minLength: 1, maxLength });
const closed = (properties, required = Object.keys(properties)) => ({
	type: "object",
	properties,
	required,
	additionalProperties: false,
});

/** A union over shared definitions, as a protocol frame is. */
const frame = {
	$defs: {
		token: text(128),
		code: { enum: ["CANCELLED", "UNAVAILABLE", "PERMISSION_DENIED", "INVALID_INPUT", "EXECUTION_FAILED"] },
		channels: { type: "object", additionalProperties: { $ref: "#/$defs/token" } },
		child: closed(
			{
				operationId: { $ref: "#/$defs/token" },
				slot: text(64),
				intent: text(4096),
				input: true,
				channels: { $ref: "#/$defs/channels" },
			},
			["operationId", "slot", "input", "channels"],
		),
		call: closed({
			operationId: { $ref: "#/$defs/token" },
			slot: text(64),
			method: text(64),
			input: true,
			channels: { $ref: "#/$defs/channels" },
		}),
		failure: closed({
			code: { type: "integer" },
			message: text(1024),
			data: closed({ code: { $ref: "#/$defs/code" } }),
		}),
	},
	oneOf: [
		closed({
			jsonrpc: { const: "2.0" },
			id: { $ref: "#/$defs/token" },
			method: { const: "flow/run-child" },
			params: { $ref: "#/$defs/child" },
		}),
		closed({
			jsonrpc: { const: "2.0" },
			id: { $ref: "#/$defs/token" },
			method: { const: "capability/call" },
			params: { $ref: "#/$defs/call" },
		}),
		closed({
			jsonrpc: { const: "2.0" },
			method: { const: "request/cancel" },
			params: closed({ id: { $ref: "#/$defs/token" } }),
		}),
		closed({ jsonrpc: { const: "2.0" }, id: { $ref: "#/$defs/token" }, result: true }),
		closed({ jsonrpc: { const: "2.0" }, id: { $ref: "#/$defs/token" }, error: { $ref: "#/$defs/failure" } }),
	],
};
const call = {
	jsonrpc: "2.0",
	id: "component:7",
	method: "capability/call",
	params: {
		operationId: "op-1",
		slot: "sessions",
		method: "append",
		input: { text: "hello", tags: ["a", "b"] },
		channels: { out: "t1" },
	},
};

/** Outcome and output correlated, as in the standard's companion example. */
const result = {
	oneOf: [
		closed({
			outcome: { const: "done" },
			output: closed({ artifact: text(4096), score: { type: "number", minimum: 0, maximum: 1 } }),
		}),
		closed({ outcome: { const: "blocked" }, output: closed({ reason: text(8192) }) }),
	],
};
const blocked = { outcome: "blocked", output: { reason: "waiting for a review" } };

const record = closed(
	{
		id: { type: "integer", minimum: 0 },
		name: text(80),
		kind: { enum: ["lake", "river", "glacier", "spring"] },
		height: { type: "number", minimum: -500, maximum: 9000 },
		tags: { type: "array", items: text(20), maxItems: 8 },
		note: { type: ["string", "null"], maxLength: 500 },
	},
	["id", "name", "kind"],
);
const records = { type: "array", items: record, maxItems: 1000 };
const list = Array.from({ length: 344 }, (_, id) => ({
	id,
	name: `Water number ${id}`,
	kind: ["lake", "river", "glacier", "spring"][id % 4],
	...(id % 2 ? { height: id * 3.5 } : {}),
	tags: id % 3 ? ["blue", "cold"] : [],
	note: id % 5 ? "seen" : null,
}));

/** A configuration: nested closed objects that share definitions, alternatives, conditions. */
const configuration = {
	$defs: {
		name: { type: "string", minLength: 1, maxLength: 64 },
		duration: { type: "integer", minimum: 1, maximum: 86_400_000 },
		retry: closed({ attempts: { type: "integer", minimum: 0, maximum: 10 }, delay: { $ref: "#/$defs/duration" } }),
		auth: {
			oneOf: [
				closed({ kind: { const: "none" } }),
				closed({ kind: { const: "token" }, variable: { $ref: "#/$defs/name" } }),
				closed({ kind: { const: "basic" }, user: { $ref: "#/$defs/name" }, variable: { $ref: "#/$defs/name" } }),
			],
		},
	},
	...closed(
		{
			version: { const: 3 },
			services: {
				type: "object",
				minProperties: 1,
				additionalProperties: {
					...closed(
						{
							url: text(2048),
							auth: { $ref: "#/$defs/auth" },
							timeout: { $ref: "#/$defs/duration" },
							retry: { $ref: "#/$defs/retry" },
							mode: { enum: ["read", "write", "both"] },
							quota: { type: "integer", minimum: 1 },
						},
						["url", "auth"],
					),
					if: { properties: { mode: { const: "write" } }, required: ["mode"] },
					// biome-ignore lint/suspicious/noThenProperty: the keyword's name
					then: { required: ["quota"] },
				},
			},
			labels: { type: "array", items: { $ref: "#/$defs/name" }, maxItems: 64 },
		},
		["version", "services"],
	),
};
const settings = {
	version: 3,
	services: Object.fromEntries(
		Array.from({ length: 24 }, (_, id) => [
			`service-${id}`,
			{
				url: `https://service-${id}.example.org/v1`,
				auth: [
					{ kind: "none" },
					{ kind: "token", variable: `TOKEN_${id}` },
					{ kind: "basic", user: "a", variable: "B" },
				][id % 3],
				timeout: 1_000 * (id + 1),
				retry: { attempts: id % 5, delay: 250 },
				...(id % 4 === 0 ? { mode: "write", quota: 10 } : { mode: "read" }),
			},
		]),
	),
	labels: ["blue", "green", "north", "south"],
};

/** Long texts beside one another, and what is said of them. */
const document = closed({
	title: text(200),
	language: { enum: ["de", "en", "fr", "it", "ja", "pt", "ru", "zh"] },
	sections: {
		type: "array",
		minItems: 1,
		items: closed(
			{
				heading: text(200),
				body: { type: "string", maxLength: 100_000 },
				notes: { type: "array", items: text(1_000) },
			},
			["heading", "body"],
		),
	},
});
const writing = {
	title: "Mills of the upper river",
	language: "en",
	sections: Array.from({ length: 40 }, (_, id) => ({
		heading: `Chapter ${id} — Wasserräder`,
		body: "The river turns its wheel and grinds what the harvest brought. Ἡ ποταμός. ".repeat(20),
		...(id % 2 ? { notes: ["seen in autumn", "to be checked"] } : {}),
	})),
};

/** Rows of a table: tuples, and what one of them has to contain. */
const table = {
	type: "array",
	maxItems: 10_000,
	items: {
		type: "array",
		prefixItems: [{ type: "integer" }, text(40), { type: ["number", "null"] }, { type: "boolean" }],
		items: false,
		minItems: 4,
	},
	contains: { type: "array", prefixItems: [{ const: 0 }] },
};
const rows = Array.from({ length: 500 }, (_, id) => [id, `row ${id}`, id % 3 ? id / 4 : null, id % 2 === 0]);

const clone = (value) => JSON.parse(JSON.stringify(value));

/** Whether one location of an instance can be met with one schema twice, so that the exact charge needs a memo. */
const NEEDS_MEMO = new Set(["frame union", "configuration"]);

/** The module of a schema, as a runtime loads it. */
function load(file) {
	const { code } = generateSchemaModule(JSON.stringify(file), { meter: true });
	return import(`data:text/javascript;base64,${btoa(code)}`);
}

/** Measures one suite; gives the ratios of the verdicts on the valid instance. */
async function suite(title, schema, valid, invalid) {
	const file = { $schema: SCHEMA_URI, ...schema };
	const ours = compileSchemaValue(file);
	const module = await load(file);
	const ajv = new Ajv2020({ strict: false }).compile(schema);
	const cfworker = new Validator(clone(schema), "2020-12");
	const verdicts = { accepts: 1, module: 1 };
	for (const [kind, instance, expected] of [
		["valid", clone(valid), true],
		["invalid", clone(invalid), false],
	]) {
		for (const verdict of [
			ours.accepts(instance),
			module.accepts(instance),
			ajv(instance),
			cfworker.validate(instance).valid,
		])
			if (verdict !== expected) throw new Error(`${title}: a wrong verdict on the ${kind} instance`);
		const peers = [
			["ajv", () => ajv(instance)],
			["cfworker", () => cfworker.validate(instance)],
		];
		const verdict = compare(
			`${title}, ${kind}: verdict`,
			[...peers, ["millrace accepts", () => ours.accepts(instance)]],
			kind === "valid" ? { goal: 0.35 } : {},
		);
		compare(
			`${title}, ${kind}: exact charge`,
			[...peers, ["millrace evaluate", () => ours.evaluate(instance)]],
			kind === "valid" ? { goal: NEEDS_MEMO.has(title) ? 0.1 : 0.25 } : {},
		);
		const generated = compare(
			`${title}, ${kind}: generated module`,
			[peers[0], ["millrace module", () => module.accepts(instance)], ["metered", () => module.evaluate(instance)]],
			kind === "valid" ? { goal: 1 } : {},
		);
		if (kind !== "valid") continue;
		verdicts.accepts = verdict["millrace accepts"];
		verdicts.module = generated["millrace module"];
	}
	const compiler = new Ajv2020({ strict: false, addUsedSchema: false });
	compare(
		`${title}: compile`,
		[
			["ajv", () => compiler.compile(clone(schema))],
			["millrace", () => compileSchemaValue(clone(file))],
			["cfworker", () => new Validator(clone(schema), "2020-12")],
		],
		{ goal: 50 },
	);
	compare(`${title}: compile and first verdict`, [
		["ajv", () => compiler.compile(clone(schema))(valid)],
		["millrace", () => compileSchemaValue(clone(file)).accepts(valid)],
		["cfworker", () => new Validator(clone(schema), "2020-12").validate(valid)],
	]);
	compare(`${title}: generate`, [
		["ajv compile", () => compiler.compile(clone(schema))],
		["millrace generate", () => generateSchemaModule(JSON.stringify(file))],
	]);
	return verdicts;
}

const compiled = (schema) => compileSchemaValue({ $schema: SCHEMA_URI, ...schema });

/** Schemas and instances that are made to be dear, by size: a name, the largest size, and what makes one. */
const HOSTILE = [
	[
		"branches of a oneOf, the last one",
		256,
		(size) => {
			const branch = (_, id) => closed({ kind: { const: `kind ${id}` }, value: { type: "integer" } });
			return [{ oneOf: Array.from({ length: size }, branch) }, { kind: `kind ${size - 1}`, value: 1 }];
		},
	],
	[
		"references to one definition",
		64,
		(size) => {
			const leaf = { type: "object", additionalProperties: { type: "integer" } };
			const allOf = Array.from({ length: size }, () => ({ $ref: "#/$defs/leaf" }));
			return [{ $defs: { leaf }, allOf }, names(4_000)];
		},
	],
	[
		"levels",
		48,
		(size) => {
			let nested = { type: "integer" };
			let deep = 1;
			for (let level = 1; level < size; level++) {
				nested = { type: "array", items: nested };
				deep = [deep];
			}
			return [nested, deep];
		},
	],
	[
		"declared names of one prefix",
		4_000,
		(size) => {
			const members = names(size);
			return [closed(Object.fromEntries(Object.keys(members).map((name) => [name, { type: "integer" }]))), members];
		},
	],
	[
		"empty arrays",
		64_000,
		(size) => [{ type: "array", items: { type: "array", maxItems: 0 } }, Array.from({ length: size }, () => [])],
	],
];

/** An object of members whose names differ at the end only. */
function names(size) {
	return Object.fromEntries(Array.from({ length: size }, (_, id) => [`${"a".repeat(40)}${id}`, id]));
}

/** A hostile shape. A verdict is held against the bytes of the instance, an exact charge against these and the units of work. */
function dear([schema, instance], way) {
	const ours = compiled(schema);
	const units = JSON.stringify(instance).length + (way === "accepts" ? 0 : ours.evaluate(instance).work);
	return { run: () => ours[way](instance), units };
}

export async function bench() {
	const verdicts = [
		await suite("frame union", frame, call, { ...call, params: { ...call.params, slot: "" } }),
		await suite("result oneOf", result, blocked, { ...blocked, output: { artifact: "x", score: 1 } }),
		await suite("344 records", records, list, [...list.slice(0, 172), { ...list[172], id: -1 }, ...list.slice(173)]),
		await suite("configuration", configuration, settings, { ...settings, labels: ["blue", ""] }),
		await suite("document", document, writing, { ...writing, language: "xx" }),
		await suite("table", table, rows, [...rows.slice(0, 250), [1, "x", 2], ...rows.slice(250)]),
	];
	const means = [
		["verdict, valid: geometric mean", "accepts", 0.5],
		["generated module, valid: geometric mean", "module", 1.5],
	];
	for (const [name, way, goal] of means)
		keepMean(
			name,
			verdicts.map((ratios) => ratios[way]),
			{ goal },
		);
	const many = { $schema: SCHEMA_URI, ...records, maxItems: 10_000 };
	const growing = [
		["verdict on records", compileSchemaValue(many)],
		["generated module on records", await load(many)],
	];
	for (const [name, schema] of growing)
		compareGrowth(name, 100, (size) => {
			const instance = Array.from({ length: size }, (_, id) => list[id % list.length]);
			return { run: () => schema.accepts(instance), units: size };
		});
	for (const [what, way] of [
		["verdict, time per byte", "accepts"],
		["exact charge, time per byte and unit of work", "evaluate"],
	]) {
		const shapes = HOSTILE.map(([name, size, make]) => [`${size} ${name}`, dear(make(size), way)]);
		compareShapes(`hostile schemas: ${what}`, [["344 records", dear([records, list], way)], ...shapes], { atMost: 3 });
		for (const [name, size, make] of HOSTILE) compareGrowth(`${what}: ${name}`, size / 16, (n) => dear(make(n), way));
	}
}
