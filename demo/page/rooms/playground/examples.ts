/** What to start from: each shows one thing. */
import type { State } from "./link.ts";

const URI = "https://flow.jig.md/schemas/schema-1.json";

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const schema = (body: object, instance: unknown): State => ({
	mode: "schema",
	source: pretty({ $schema: URI, ...body }),
	instance: typeof instance === "string" ? instance : pretty(instance),
	pick: "",
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const EXAMPLES: readonly (readonly [name: string, state: State])[] = [
	[
		"A person, with an error",
		schema(
			{
				type: "object",
				properties: {
					name: { type: "string", minLength: 1, maxLength: 80 },
					born: { type: "integer", minimum: 1800, maximum: 2100 },
					languages: { type: "array", items: { enum: ["de", "en", "fr"] }, maxItems: 5 },
				},
				required: ["name", "born"],
				additionalProperties: false,
			},
			{ name: "Ada Lovelace", born: "1815", languages: ["en", "fr", "la"] },
		),
	],
	[
		"A result: one of two outcomes",
		schema(
			{
				oneOf: [
					{
						type: "object",
						properties: { outcome: { const: "done" }, output: { $ref: "#/$defs/Report" } },
						required: ["outcome", "output"],
						additionalProperties: false,
					},
					{
						type: "object",
						properties: { outcome: { const: "nothing-found" }, output: { type: "null" } },
						required: ["outcome", "output"],
						additionalProperties: false,
					},
				],
				$defs: {
					Report: {
						type: "object",
						properties: { title: { type: "string" }, pages: { type: "integer", minimum: 1 } },
						required: ["title", "pages"],
						additionalProperties: false,
					},
				},
			},
			{ outcome: "done", output: { title: "The mill", pages: 12 } },
		),
	],
	[
		"A choice by if, then, else",
		schema(
			{
				type: "object",
				properties: { kind: { enum: ["card", "invoice"] }, number: { type: "string" }, address: { type: "string" } },
				required: ["kind"],
				if: { properties: { kind: { const: "card" } } },
				// biome-ignore lint/suspicious/noThenProperty: the keyword's name
				then: { required: ["number"] },
				else: { required: ["address"] },
			},
			{ kind: "invoice", number: "4000" },
		),
	],
	[
		"An array: first these, then those",
		schema(
			{
				type: "array",
				prefixItems: [{ const: "point" }, { type: "number" }, { type: "number" }],
				items: { type: "string" },
				minItems: 3,
				contains: { const: "label" },
			},
			["point", 3.5, -1, "label"],
		),
	],
	[
		"What one property asks of others",
		schema(
			{
				type: "object",
				properties: { start: { type: "integer" }, end: { type: "integer" }, zone: { type: "string" } },
				dependentRequired: { end: ["start"] },
				dependentSchemas: { zone: { required: ["start", "end"] } },
			},
			{ end: 5, zone: "UTC" },
		),
	],
	[
		"More work than the budget: a long list, each item against a long enum",
		{
			mode: "schema",
			source: `${JSON.stringify({ $schema: URI, type: "array", items: { enum: numbers(500) } })}\n`,
			instance: `${JSON.stringify(numbers(2_500).map((number) => number % 500))}\n`,
			pick: "",
		},
	],
	[
		"A keyword that Schema/1 doesn't have",
		schema({ type: "object", properties: { mail: { type: "string", format: "email" } } }, { mail: "ada@example.org" }),
	],
	["A member that occurs twice", schema({ type: "object" }, '{\n  "role": "reader",\n  "role": "admin"\n}\n')],
	[
		"A capability contract",
		{
			mode: "capability",
			source: pretty({
				$schema: "https://flow.jig.md/schemas/capability-contract-1.schema.json",
				flowCapabilityContract: 1,
				id: "https://example.org/contracts/titles",
				version: "1.0.0",
				methods: {
					lookup: {
						input: { $ref: "#/$defs/Name" },
						output: {
							type: "object",
							properties: { title: { type: "string", minLength: 1, maxLength: 40 } },
							required: ["title"],
							additionalProperties: false,
						},
						errors: { "unknown-name": { $ref: "#/$defs/Name" } },
					},
				},
				$defs: {
					Name: {
						type: "object",
						properties: { name: { type: "string", minLength: 1, maxLength: 100 } },
						required: ["name"],
						additionalProperties: false,
					},
				},
			}),
			instance: pretty({ name: "Ada" }),
			pick: "lookup: input",
		},
	],
	[
		"A channel contract",
		{
			mode: "channel",
			source: pretty({
				$schema: "https://flow.jig.md/schemas/channel-contract-1.schema.json",
				id: "https://example.org/contracts/readings",
				version: "1.0.0",
				semantics: "One reading of the water level, in centimetres above the weir, at most one a second.",
				item: { type: "number", minimum: -500, maximum: 500 },
			}),
			instance: "12.5\n",
			pick: "item",
		},
	],
];
