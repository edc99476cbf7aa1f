/** Packages for the tests of Workers, made where no file is at hand. */

export type Files = Readonly<Record<string, string>>;

/** An entrypoint whose handler has this body. */
export const flow = (body: string): Files => ({
	"flow.mjs": `import { handle } from "millrace/sdk";\nawait handle(async (run) => {\n${body}\n});\n`,
});
