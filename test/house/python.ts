import { spawnSync } from "node:child_process";

/** Whether `python3` is on the PATH: tests that need it are skipped where it isn't. */
export const hasPython: boolean = spawnSync("python3", ["--version"]).status === 0;
