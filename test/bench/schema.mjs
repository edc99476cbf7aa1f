// Schema/1 against Ajv (generates code) and @cfworker/json-schema (interprets): validation and compilation, in one process.
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchemaValue, SCHEMA_URI } from "../../dist/src/schema/index.js";
import { compare } from "./measure.mjs";

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

const clone = (value) => JSON.parse(JSON.stringify(value));

function suite(title, schema, valid, invalid) {
	const file = { $schema: SCHEMA_URI, ...schema };
	const ours = compileSchemaValue(file);
	const ajv = new Ajv2020({ strict: false }).compile(schema);
	const cfworker = new Validator(clone(schema), "2020-12");
	for (const [kind, instance, expected] of [
		["valid", clone(valid), true],
		["invalid", clone(invalid), false],
	]) {
		for (const verdict of [ours.accepts(instance), ajv(instance), cfworker.validate(instance).valid])
			if (verdict !== expected) throw new Error(`${title}: a wrong verdict on the ${kind} instance`);
		compare(`${title}, ${kind}`, [
			["ajv", () => ajv(instance)],
			["millrace accepts", () => ours.accepts(instance)],
			["millrace evaluate (metered)", () => ours.evaluate(instance)],
			["cfworker", () => cfworker.validate(instance)],
		]);
	}
	const compiled = new Ajv2020({ strict: false, addUsedSchema: false });
	compare(`${title}, compile and first use`, [
		["ajv", () => compiled.compile(clone(schema))(valid)],
		["millrace accepts", () => compileSchemaValue(clone(file)).accepts(valid)],
		["millrace evaluate", () => compileSchemaValue(clone(file)).evaluate(valid)],
		["cfworker", () => new Validator(clone(schema), "2020-12").validate(valid)],
	]);
}

export async function bench() {
	suite("frame union", frame, call, { ...call, params: { ...call.params, slot: "" } });
	suite("result oneOf", result, blocked, { ...blocked, output: { artifact: "x", score: 1 } });
	suite("344 records", records, list, [...list.slice(0, 172), { ...list[172], id: -1 }, ...list.slice(173)]);
}
