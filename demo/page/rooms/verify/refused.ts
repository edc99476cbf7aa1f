/** What is told of a refusal: a file of its own, so that it is loaded when something is refused. */
export { describeRefusal } from "./explain.ts";
export { surveyContents, surveyPaths } from "./survey.ts";
