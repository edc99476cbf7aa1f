export { type Extra, type Served, serve } from "./serve.mjs";
