/** The build's one file of sucrase and what it stands on, some of which is no ES module: so that any bundler can take it. */
declare module "#sucrase" {
	export function transform(
		text: string,
		options: {
			readonly transforms: readonly "typescript"[];
			readonly disableESTransforms: boolean;
			readonly keepUnusedImports: boolean;
			readonly filePath: string;
		},
	): { readonly code: string };
}
