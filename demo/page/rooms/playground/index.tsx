import type { JSX } from "preact";

export default function Room(): JSX.Element {
	return <h1>playground</h1>;
}
