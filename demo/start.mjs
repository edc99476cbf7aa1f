// `npm start`: one example package run on real input, then on bad input. Prints what was checked and why a result was accepted.
import { millrace } from "./millrace.mjs";

const accepted = millrace("run", "demo/flows/greet", "--input", '{"name":"Ada"}');
const refused = millrace("run", "demo/flows/greet", "--input", '{"name":42}');
const ok = accepted === 0 && refused === 1;
console.log(
	ok
		? "\nThe first was accepted, the second refused before anything started."
		: "\nThat is not what should have happened.",
);
process.exitCode = ok ? 0 : 1;
