// Runs the bundled suite in the runtime that runs this: SUITE OPTIONS REPORT. The report goes to a file, because standard
// output is the tests'; and then it ends, whatever a test has left open.
import { writeFileSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [suite, options, file] = process.argv.slice(2);
const { runSuite } = await import(pathToFileURL(suite).href);
writeFileSync(file, JSON.stringify(await runSuite(JSON.parse(options))));
process.exit(0);
