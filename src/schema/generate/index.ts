/** Schemas as ES modules, generated ahead of time. */

export {
	compileSchemaModule,
	generateSchemaModule,
	type MeteredSchemaModule,
	type SchemaModule,
	type SchemaModuleOptions,
	type SchemaModuleSource,
} from "./module.ts";
