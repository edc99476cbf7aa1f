/** Schema/1: compile schema files and embedded graphs, evaluate with the exact work meter, explain. */

export { SchemaError, type SchemaErrorCode, type SchemaFault } from "./error.ts";
export type { BoundaryCode, Diagnostic } from "./explain.ts";
export {
	compileSchemaModule,
	generateSchemaModule,
	type MeteredSchemaModule,
	type SchemaModule,
	type SchemaModuleOptions,
	type SchemaModuleSource,
} from "./generate/index.ts";
export type { Profile } from "./judge.ts";
export { DIAGNOSTICS_MAX, SCHEMA_LIMITS, SCHEMA_URI, type SchemaLimitName } from "./limits.ts";
export { equalSchemas, isTrivialSchema, matchItemSchemas } from "./match.ts";
export type { Keyword } from "./node.ts";
export {
	compileInlineSchema,
	compileSchema,
	compileSchemaGraph,
	compileSchemaValue,
	type EmbeddedGraph,
} from "./open.ts";
export type { Checked, EvaluateOptions, Schema, Verdict } from "./schema.ts";
export type { StandardIssue, StandardProps, StandardResult } from "./standard.ts";
