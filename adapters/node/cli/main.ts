#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Digest } from "../../../src/sha256.ts";
import { describeFailure, printFailure } from "./failure.ts";
import { interruptSignal } from "./interrupt.ts";
import { createOutput, type Output, write } from "./output.ts";
import { collect, parseDigest, parseDuration, UsageError } from "./usage.ts";

// The commands are loaded when they are called: `millrace --help` and a component's start shouldn't wait for YAML.

/** Exit codes: 0 for success, 1 for a refused or failed thing, 2 for a wrong command line. */
const EXIT = { success: 0, failure: 1, usage: 2 } as const;

const { version } = JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")) as {
	version: string;
};

/** Runs a command's body and turns what it throws into the report and the exit code that every command shares. */
function execute(json: boolean, body: (output: Output) => Promise<unknown>): Promise<void> {
	const output = createOutput(json);
	return body(output).then(
		(succeeded) => {
			process.exitCode = succeeded === false ? EXIT.failure : EXIT.success;
		},
		async (error: unknown) => {
			const report = describeFailure(error);
			process.exitCode = report.code === "USAGE" ? EXIT.usage : EXIT.failure;
			if (json) await write(process.stdout, `${JSON.stringify(report)}\n`);
			else printFailure(report);
			if (report.code === "INTERNAL" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
		},
	);
}

function usage<T>(parse: (text: string) => T): (text: string) => T {
	return (text) => {
		try {
			return parse(text);
		} catch (error) {
			if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
			throw error;
		}
	};
}

const program = new Command("millrace")
	.description("Check FLOW packages, values and contracts, and run Flows.")
	.version(version)
	.exitOverride()
	.showHelpAfterError("(millrace help shows the commands)");

function command(nameAndArguments: string, summary: string): Command {
	return program
		.command(nameAndArguments)
		.description(summary)
		.option("--json", "print one JSON object on stdout, for machines")
		.exitOverride();
}

const expectOption = () =>
	new Option("--expect <digest>", "refuse anything but the package with this digest").argParser(usage(parseDigest));

command("inspect <dir>", "show what a package declares, without running it")
	.addOption(expectOption())
	.action((dir: string, options: { json?: boolean; expect?: Digest }) =>
		execute(options.json === true, async (output) =>
			(await import("./inspect.ts")).inspectCommand(dir, options, interruptSignal(), output),
		),
	);

command("digest <dir>", "compute a package's Package/1 digest")
	.option("--manifest", "list every file with its size and SHA-256")
	.addOption(expectOption())
	.action((dir: string, options: { json?: boolean; manifest?: boolean; expect?: Digest }) =>
		execute(options.json === true, async (output) =>
			(await import("./digest.ts")).digestCommand(dir, options, interruptSignal(), output),
		),
	);

command("validate <schema> <instance>", "validate a JSON file against a Schema/1 file (- reads stdin)")
	.option("--all", "report every violation, not only the first")
	.option("--profile", "show the work units spent by keyword")
	.action((schema: string, instance: string, options: { json?: boolean; all?: boolean; profile?: boolean }) =>
		execute(options.json === true, async (output) =>
			(await import("./validate.ts")).validateCommand(schema, instance, options, output),
		),
	);

command("canonicalize <file>", "check JSON/1 and print the RFC 8785 bytes (- reads stdin)").action(
	(file: string, options: { json?: boolean }) =>
		execute(options.json === true, async (output) =>
			(await import("./canonicalize.ts")).canonicalizeCommand(file, output),
		),
);

command("contract <file>", "check a capability or channel contract and derive its identity (- reads stdin)").action(
	(file: string, options: { json?: boolean }) =>
		execute(options.json === true, async (output) => (await import("./contract.ts")).contractCommand(file, output)),
);

command("run <dir>", "run a package and print its accepted result")
	.option("--input <value>", "the input: JSON, @file, or - for stdin", "null")
	.option("--settings <value>", "the settings object: JSON, @file, or - for stdin", "{}")
	.option("--attach <name=path:access>", "give an attachment (access: read or read-write); repeatable", collect, [])
	.option("--trust-attachments", "let read-write attachments be the real paths, without a sandbox")
	.addOption(
		new Option("--deadline <time>", "stop the Run after this time")
			.default(60_000, "60s")
			.argParser(usage(parseDuration)),
	)
	.option("--child <slot=dir[@digest]>", "bind a child slot to a package; repeatable", collect, [])
	.addOption(expectOption())
	.option("--trace <file>", "write every frame and decision as NDJSON into a new file")
	.option("--trace-values", "keep values in the trace (they are elided otherwise)")
	.option("--stderr", "pass the component's stderr on while it runs")
	.action((dir: string, options: import("./run.ts").RunOptions & { json?: boolean }) =>
		execute(options.json === true, async (output) => (await import("./run.ts")).runCommand(dir, options, output)),
	);

command("new <name>", "make a new package that runs").action((name: string, options: { json?: boolean }) =>
	execute(options.json === true, async (output) => (await import("./new.ts")).newCommand(name, output)),
);

const conformance = program
	.command("conformance")
	.description("the public corpus: prove an implementation, ours or yours");
conformance
	.command("serve")
	.description("answer driver requests: one JSON object per line on stdin, one per line on stdout")
	.exitOverride()
	.action(() => execute(false, async () => (await import("./conformance.ts")).serveCommand()));
conformance
	.command("run")
	.description("run the corpus against a driver (ours unless --driver names another)")
	.option("--driver <command>", "a program that speaks the driver protocol on stdio")
	.option("--json", "print one JSON object on stdout, for machines")
	.exitOverride()
	.action((options: { json?: boolean; driver?: string }) =>
		execute(options.json === true, async (output) =>
			(await import("./conformance.ts")).conformanceCommand(options, output),
		),
	);

try {
	await program.parseAsync();
} catch (error) {
	if (!(error instanceof CommanderError)) throw error;
	// commander has printed help, version or its complaint for people already.
	process.exitCode = error.exitCode === 0 ? EXIT.success : EXIT.usage;
	if (error.exitCode !== 0 && process.argv.includes("--json"))
		await write(process.stdout, `${JSON.stringify(describeFailure(new UsageError(error.message)))}\n`);
}
