/** The packages of `demo/flows` and `demo/page/flows` by name, each by path: the build puts their text here. */
declare module "page-flows" {
	const flows: Readonly<Record<string, Readonly<Record<string, string>>>>;
	export default flows;
}
