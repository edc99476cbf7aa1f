#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Digest } from "../../../src/digest.ts";
import { describeFailure } from "./failure.ts";
import { interruptSignal } from "./interrupt.ts";
import { createOutput, type Output, safeJson, write } from "./output.ts";
import { printFailure } from "./show-failure.ts";
import { collect, parseCount, parseDigest, parseDuration, parsePath, UsageError } from "./usage.ts";

// The commands are loaded when they are called: `millrace --help` shouldn't wait for YAML.

/** Exit codes: 0 for success, 1 for a refused or failed thing, 2 for a wrong command line. */
const EXIT = { success: 0, failure: 1, usage: 2 } as const;

const { version } = JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")) as {
	version: string;
};

const program = new Command("millrace")
	.description("Check FLOW packages, values and contracts, and run Flows.")
	.enablePositionalOptions()
	// Complaints are told by `refuse`, once and escaped.
	.configureOutput({ outputError: () => {} });
common(program);

/** What every command has. */
function common(command: Command): Command {
	return command
		.option("--json", "print one JSON object on stdout, for machines")
		.version(version, "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.exitOverride();
}

function define(parent: Command, nameAndArguments: string, summary: string): Command {
	return common(parent.command(nameAndArguments).description(summary));
}

/** Runs a command's body and turns what it throws into the report and the exit code that every command shares. */
async function execute(command: Command, body: (output: Output) => Promise<unknown>): Promise<void> {
	const json = command.optsWithGlobals().json === true;
	try {
		const succeeded = await body(createOutput(json));
		process.exitCode = succeeded === false ? EXIT.failure : EXIT.success;
	} catch (error) {
		await refuse(error, json, command);
	}
}

async function refuse(error: unknown, json: boolean, command: Command): Promise<void> {
	const wrongUsage = error instanceof UsageError;
	process.exitCode = wrongUsage ? EXIT.usage : EXIT.failure;
	const report = describeFailure(error);
	if (!json || wrongUsage)
		printFailure(wrongUsage ? { ...report, hints: [`${pathOf(command)} --help shows how`] } : report);
	if (report.code === "INTERNAL" && error instanceof Error) process.stderr.write(`${error.stack}\n`);
	// Where stdout itself is what failed, the exit code is all that is left to say.
	if (json) await write(process.stdout, `${safeJson(report)}\n`).catch(() => false);
}

function pathOf(command: Command): string {
	return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Hands what a parser finds wrong to commander, which names the option or argument. */
function checked<T>(parse: (text: string) => T): (text: string) => T {
	return (text) => {
		try {
			return parse(text);
		} catch (error) {
			if (error instanceof UsageError) throw new InvalidArgumentError(error.message);
			throw error;
		}
	};
}

const prefixOption = (): Option =>
	new Option("--prefix <dir>", "the directory in an archive that is the package, as package/ of an npm tarball");

const expectOption = (): Option =>
	new Option("--expect <digest>", "refuse anything but the package with this digest").argParser(checked(parseDigest));

define(program, "inspect", "show what a package declares, without running it")
	.argument("<dir>", "the package's directory, or its archive: tar, tar.gz or zip", checked(parsePath))
	.addOption(prefixOption())
	.addOption(expectOption())
	.action((dir: string, options: { expect?: Digest; prefix?: string }, command: Command) =>
		execute(command, async (output) =>
			(await import("./inspect.ts")).inspectCommand(dir, options, interruptSignal(), output),
		),
	);

define(program, "digest", "compute a package's Package/1 digest")
	.argument("<dir>", "the package's directory, or its archive: tar, tar.gz or zip", checked(parsePath))
	.addOption(prefixOption())
	.option("--manifest", "list every file with its size and SHA-256")
	.addOption(expectOption())
	.action((dir: string, options: { manifest?: boolean; expect?: Digest; prefix?: string }, command: Command) =>
		execute(command, async (output) =>
			(await import("./digest.ts")).digestCommand(dir, options, interruptSignal(), output),
		),
	);

define(program, "validate", "validate a JSON file against a Schema/1 file")
	.argument("<schema>", "the schema file; - reads stdin")
	.argument("<instance>", "the file with the value; - reads stdin")
	.option("--all", "report every violation, not only the first")
	.option("--profile", "show the work units spent by keyword")
	.action((schema: string, instance: string, options: { all?: boolean; profile?: boolean }, command: Command) =>
		execute(command, async (output) =>
			(await import("./validate.ts")).validateCommand(schema, instance, options, output),
		),
	);

const schemas = define(program, "schema", "make something of a Schema/1 file");

define(
	schemas,
	"compile",
	"write a Schema/1 file as an ES module of its own, with types, that imports and evaluates nothing",
)
	.argument("<file>", "the schema file; - reads stdin")
	.requiredOption(
		"-o, --output <file>",
		"the module to write, .mjs or .js, its declarations beside it; - is stdout",
		checked(parsePath),
	)
	.option("--meter", "export evaluate too, which reports the exact work units")
	.option("--force", "overwrite what is there")
	.action((file: string, options: import("./schema.ts").SchemaCompileOptions, command: Command) =>
		execute(command, async (output) => (await import("./schema.ts")).schemaCompileCommand(file, options, output)),
	);

define(program, "canonicalize", "check JSON/1 and print the RFC 8785 bytes")
	.argument("<file>", "the file with the value; - reads stdin")
	.action((file: string, _: unknown, command: Command) =>
		execute(command, async (output) => (await import("./canonicalize.ts")).canonicalizeCommand(file, output)),
	);

define(program, "contract", "check a capability or channel contract and derive its identity")
	.argument("<file>", "the descriptor; - reads stdin")
	.action((file: string, _: unknown, command: Command) =>
		execute(command, async (output) => (await import("./contract.ts")).contractCommand(file, output)),
	);

define(program, "run", "run a package and print its accepted result")
	.argument("<dir>", "the package's directory, or its archive: tar, tar.gz or zip", checked(parsePath))
	.addOption(prefixOption())
	.option("--input <value>", "the input: JSON, @file, or - for stdin", "null")
	.option("--settings <value>", "the settings object: JSON, @file, or - for stdin", "{}")
	.addOption(
		new Option("--attach <name=path:access>", "give an attachment, for read (a private copy) or read-write; repeatable")
			.default([], "none")
			.argParser(collect),
	)
	.option("--trust-attachments", "let read-write attachments be the real paths, without a sandbox")
	.addOption(
		new Option("--deadline <time>", "stop the Run after this time")
			.default(60_000, "60s")
			.argParser(checked(parseDuration)),
	)
	.addOption(
		new Option("--child <slot=dir[@digest]>", "bind a child slot to a package; repeatable")
			.default([], "none")
			.argParser(collect),
	)
	.addOption(
		new Option(
			"--channel <name=file>",
			"connect a channel: FILE, or - for stdin, feeds one value per line to a port that receives; a port that sends " +
				"writes its items to a new FILE, or with - to stdout (the result then goes to stderr, or last under --json); repeatable",
		)
			.default([], "none")
			.argParser(collect),
	)
	.addOption(expectOption())
	.option("--trace <file>", "write every frame and decision as NDJSON into a new file")
	.option("--trace-values", "keep values in the trace (they are elided otherwise)")
	.option("--stderr", "pass the component's stderr on while it runs")
	.option("--store <file>", "keep the Run's operations in this file beyond the Run; needs --key")
	.option("--key <key>", "the Run's name in the store: a later Run of it repeats no operation")
	.action((dir: string, options: import("./run.ts").RunCommandOptions, command: Command) =>
		execute(command, async (output) => (await import("./run.ts")).runCommand(dir, options, output)),
	);

define(program, "sequence", "draw what was said in a Run, from its trace")
	.argument("<trace>", "a file that run --trace FILE --trace-values wrote; - reads stdin")
	.addOption(new Option("--format <format>", "how to draw it").choices(["text", "mermaid", "svg"]).default("text"))
	.addOption(
		new Option("--limit <messages>", "draw at most this many messages").default(1_000).argParser(checked(parseCount)),
	)
	.action((trace: string, options: import("./sequence.ts").SequenceOptions, command: Command) =>
		execute(command, async (output) => (await import("./sequence.ts")).sequenceCommand(trace, options, output)),
	);

define(program, "new", "make a new package that runs")
	.argument("<name>", "the directory to make; its name is the package's")
	.action((name: string, _: unknown, command: Command) =>
		execute(command, async (output) => (await import("./new.ts")).newCommand(name, output)),
	);

const operations = define(program, "operations", "look after a store of operations that outlived their Runs");

define(operations, "list", "show the keys of a store, the one used last first")
	.argument("<file>", "the store's file", checked(parsePath))
	.action((file: string, _: unknown, command: Command) =>
		execute(command, async (output) => (await import("./operations.ts")).listCommand(file, output)),
	);

define(operations, "delete", "forget keys, with everything recorded under them: it can then be done again")
	.argument("<file>", "the store's file", checked(parsePath))
	.option("--key <key>", "the key to forget")
	.addOption(
		new Option("--unused <time>", "forget every key that nothing has used for this long").argParser(
			checked(parseDuration),
		),
	)
	.action((file: string, options: import("./operations.ts").DeleteOptions, command: Command) =>
		execute(command, async (output) => (await import("./operations.ts")).deleteCommand(file, options, output)),
	);

const conformance = define(program, "conformance", "the public corpus: prove an implementation, ours or yours");

define(
	conformance,
	"serve",
	"answer driver requests: one JSON object per line on stdin, one per line on stdout",
).action((_: unknown, command: Command) => execute(command, async () => (await import("./serve.ts")).serveCommand()));

define(conformance, "run", "run the corpus against a driver")
	.option("--driver <command>", "a program that speaks the driver protocol on stdio (default: ours)")
	.option("--suite <name>", "run one suite of the corpus only")
	.addOption(
		new Option("--timeout <time>", "how long a driver may take for one case")
			.default(60_000, "60s")
			.argParser(checked(parseDuration)),
	)
	.action((options: import("./conformance.ts").ConformanceOptions, command: Command) =>
		execute(command, async (output) =>
			(await import("./conformance.ts")).conformanceCommand(options, interruptSignal(), output),
		),
	);

define(
	conformance,
	"component",
	"run the component kit: a host that behaves and misbehaves, against a component (COMPONENT.md)",
)
	.option("--component <command>", "a program that plays the kit's scenarios over its Run/1 runtime (default: our SDK)")
	.option("--suite <name>", "run one suite of the kit only")
	.option("--case <name>", "run the cases of this name only; * stands for anything")
	.addOption(
		new Option("--timeout <time>", "how long a component may take for one case")
			.default(30_000, "30s")
			.argParser(checked(parseDuration)),
	)
	.addOption(new Option("--jobs <n>", "how many cases run at once").default(2).argParser(checked(parseCount)))
	.option("--long", "run the cases too that take a minute or much memory")
	.action((options: import("./conformance-component.ts").ComponentKitOptions, command: Command) =>
		execute(command, async (output) =>
			(await import("./conformance-component.ts")).componentKitCommand(options, interruptSignal(), output),
		),
	);

define(conformance, "host", "run the host kit: packages that behave and misbehave, against a host's adapter (HOST.md)")
	.option("--host <command>", "a program that takes a job file as its last argument (default: our host)")
	.option("--suite <name>", "run one suite of the kit only")
	.option("--case <name>", "run the cases of this name only; * stands for anything")
	.addOption(
		new Option("--entry <language>", "the language the components are written in")
			.choices(["mjs", "py"])
			.default("mjs"),
	)
	.addOption(
		new Option("--timeout <time>", "how long a host may take for one case")
			.default(60_000, "60s")
			.argParser(checked(parseDuration)),
	)
	.addOption(new Option("--jobs <n>", "how many cases run at once").default(2).argParser(checked(parseCount)))
	.option("--long", "run the cases too that take a minute or much memory")
	.action((options: import("./conformance-host.ts").HostKitOptions, command: Command) =>
		execute(command, async (output) =>
			(await import("./conformance-host.ts")).hostKitCommand(options, interruptSignal(), output),
		),
	);

define(conformance, "host-job", "run one job of the host kit on our host, and print its one answer line")
	.argument("<jobfile>", "the job, as HOST.md describes it", checked(parsePath))
	.action((jobFile: string, _: unknown, command: Command) =>
		execute(command, async () => (await import("./host-job.ts")).hostJobCommand(jobFile)),
	);

/** The command that the arguments lead to, for the hint of a complaint about them. */
function meant(words: readonly string[], from: Command = program): Command {
	const next = from.commands.find((each) => each.name() === words.find((word) => !word.startsWith("-")));
	return next === undefined ? from : meant(words.slice(words.indexOf(next.name()) + 1), next);
}

/** What commander found wrong, in one sentence. */
function complaint({ code, message }: CommanderError): string {
	if (code === "commander.help") return "name one of the commands";
	return message.replace(/^error: /, "").replaceAll("\n", " ");
}

async function main(words: readonly string[]): Promise<void> {
	// A reader that went away is noticed where something is written; the event itself must not end the program.
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
	const json = words.slice(0, words.includes("--") ? words.indexOf("--") : words.length).includes("--json");
	try {
		// Node replaces what isn't UTF-8, and the replaced text would be another path or value.
		const garbled = words.find((word) => word.includes("\ufffd"));
		if (garbled !== undefined) throw new UsageError(`"${garbled}" isn't UTF-8; put such a value into a file`);
		await program.parseAsync(words, { from: "user" });
	} catch (error) {
		if (error instanceof CommanderError && error.exitCode === 0) return; // help or version, printed already
		const found = error instanceof CommanderError ? new UsageError(complaint(error)) : error;
		await refuse(found, json, meant(words));
	}
}

await main(process.argv.slice(2));
