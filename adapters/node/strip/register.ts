/** Preloaded with `--import` where Node doesn't strip types by itself: TypeScript modules load through {@link ./hooks.ts}. */
import { register } from "node:module";

register("./hooks.js", import.meta.url);
