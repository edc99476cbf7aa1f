/** The front door: what this page is for, and a place to drop a package at once. */
import type { JSX } from "preact";
import { DropZone } from "../parts/drop-zone.tsx";
import { handOver } from "./handover.ts";
import { goTo } from "./route.ts";

export function Front(): JSX.Element {
	return (
		<div class="front">
			<section class="hero">
				<h1>Is this the package you approved?</h1>
				<p class="lead">
					Drop a FLOW package. Its digest is computed here, in this page, byte for byte as every other FLOW
					implementation computes it.
				</p>
				<DropZone
					label="Drop a folder, or a .tar, .tgz or .zip"
					onInput={(input) => {
						handOver(input);
						goTo("verify");
					}}
				/>
			</section>
			<ul class="doors">
				<li>
					<a href="#/verify">
						<h2>Verify</h2>
						<p>What a package is, what it declares, what stands out in it, and how it differs from another.</p>
					</a>
				</li>
				<li>
					<a href="#/playground">
						<h2>Playground</h2>
						<p>A schema and a value side by side: the verdict as you type, where it fails, and what it costs.</p>
					</a>
				</li>
				<li>
					<a href="#/run">
						<h2>Run</h2>
						<p>A Flow in a closed-off Worker, every frame and decision drawn as it happens. Traces from Node, too.</p>
					</a>
				</li>
			</ul>
		</div>
	);
}
