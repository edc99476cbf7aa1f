// The child of a round-trip contender: `node caller.mjs <contender>`.
import { argv } from "node:process";
import { work } from "./work.mjs";

const { open } = await import(`./${argv[2]}.mjs`);
const { call, close } = await open(process.stdin, process.stdout);
await work(call);
await close();
