/** Inspection, which brings YAML along: a file of its own, so that it is loaded when there is something to inspect. */
export { inspectPackage } from "millrace";
