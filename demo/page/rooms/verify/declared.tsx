import { type ChannelContract, escapeForDisplay, type PackageSnapshot } from "millrace";
import type { ComponentChildren, JSX } from "preact";
import { CopyButton } from "../../parts/copy-button.tsx";
import { count } from "../../parts/format.ts";
import type { SchemaFacts } from "./schema-facts.ts";

/** What the package declares: its metadata, what it runs, what it takes and gives, what it uses. */
export function Declared({
	snapshot,
	schemas,
}: {
	readonly snapshot: PackageSnapshot;
	readonly schemas: readonly SchemaFacts[];
}): JSX.Element {
	const { metadata, entrypoint, uses, channels, channelContracts, outcomes, attachments, frontmatter } = snapshot;
	const extensions = Object.entries(frontmatter).filter(([name]) => name.startsWith("x-"));
	return (
		<section class="sheet" aria-labelledby="declared">
			<h2 id="declared">What it declares</h2>
			<dl class="facts">
				<dt>Name</dt>
				<dd>
					<strong>{escapeForDisplay(metadata.name)}</strong>
				</dd>
				<dt>Description</dt>
				<dd>{escapeForDisplay(metadata.description)}</dd>
				<dt>Entrypoint</dt>
				<dd>
					{entrypoint === undefined ? (
						"none: instructions only"
					) : (
						<>
							<code>{escapeForDisplay(entrypoint.path)}</code>
							{entrypoint.selector !== undefined && (
								<>
									, run by <code>{escapeForDisplay(entrypoint.selector)}</code>
								</>
							)}
						</>
					)}
				</dd>
				{schemas.map((facts) => (
					<SchemaFact key={facts.name} {...facts} />
				))}
				<Entries title="Outcomes" entries={[...outcomes]} show={escapeForDisplay} />
				<Entries title="Attachments" entries={[...attachments]} show={(access) => access} />
				<Entries
					title="Capabilities"
					entries={[...uses]}
					show={(use) =>
						"local" in use ? (
							"a local seam: whoever runs it decides what is there"
						) : (
							<Identity {...use.contract.identity} path={use.path} methods={[...use.contract.methods.keys()]} />
						)
					}
				/>
				<Entries
					title="Channels"
					entries={[...channels]}
					show={({ direction, contractIdentity, delivery, required }) => (
						<>
							{direction}
							{delivery !== undefined && `, ${delivery}`}
							{required ? ", required" : ", optional"}
							{contractIdentity !== undefined && <Identity {...contractIdentity} />}
						</>
					)}
				/>
				<Entries
					title="Channel contracts"
					entries={[...channelContracts]}
					show={({ identity, semantics }: ChannelContract) => (
						<>
							<Identity {...identity} />
							<span class="semantics">{escapeForDisplay(semantics.slice(0, 400))}</span>
						</>
					)}
				/>
				<Entries
					title="Extensions"
					entries={extensions}
					show={(value) => <code>{escapeForDisplay(JSON.stringify(value))}</code>}
				/>
			</dl>
			<Body bytes={snapshot.body} />
		</section>
	);
}

function SchemaFact({ name, present, nodes, depth, sha256, title, description, text }: SchemaFacts): JSX.Element {
	const none = name === "settings" ? "none: only {} is taken" : "none: any value";
	return (
		<>
			<dt>{name} schema</dt>
			<dd>
				{present ? (
					<>
						{title !== undefined && <span class="said">{escapeForDisplay(title)}</span>}
						{description !== undefined && <span class="said quiet">{escapeForDisplay(description)}</span>}
						{count(nodes, "node")}, depth {depth}
						{sha256 !== undefined && (
							<>
								<br />
								<code class="hash">{sha256}</code>
							</>
						)}
						{text !== undefined && (
							<details class="schema">
								<summary>{name}.schema.json</summary>
								<Lines text={text} />
							</details>
						)}
					</>
				) : (
					none
				)}
			</dd>
		</>
	);
}

function Entries<T>({
	title,
	entries,
	show,
}: {
	readonly title: string;
	readonly entries: readonly (readonly [string, T])[];
	readonly show: (value: T) => ComponentChildren;
}): JSX.Element | null {
	if (entries.length === 0) return null;
	return (
		<>
			<dt>{title}</dt>
			<dd>
				<ul class="bare">
					{entries.map(([name, value]) => (
						<li key={name}>
							<code>{escapeForDisplay(name)}</code>: {show(value)}
						</li>
					))}
				</ul>
			</dd>
		</>
	);
}

function Identity({
	id,
	version,
	digest,
	path,
	methods,
}: {
	readonly id: string;
	readonly version: string;
	readonly digest: string;
	readonly path?: string;
	readonly methods?: readonly string[];
}): JSX.Element {
	return (
		<span class="identity">
			{" "}
			<code>{escapeForDisplay(id)}</code> {version}
			{path !== undefined && (
				<>
					{" "}
					in <code>{escapeForDisplay(path)}</code>
				</>
			)}
			{methods !== undefined && methods.length > 0 && `, methods ${methods.join(", ")}`}
			<br />
			<code class="hash">{digest}</code> <CopyButton text={digest} label="Copy" />
		</span>
	);
}

/** Bytes of a text that are shown. */
const SHOWN = 20_000;

function Body({ bytes }: { readonly bytes: Uint8Array }): JSX.Element | null {
	if (bytes.length === 0) return null;
	return (
		<details open={bytes.length < 1_500}>
			<summary>The instructions in FLOW.md</summary>
			<Lines text={new TextDecoder().decode(bytes.subarray(0, SHOWN))} cut={bytes.length > SHOWN} />
		</details>
	);
}

/** A text of several lines, in which nothing can hide or move what stands around it. */
function Lines({ text, cut = text.length > SHOWN }: { readonly text: string; readonly cut?: boolean }): JSX.Element {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
		<pre class="body" tabIndex={0}>
			{text
				.slice(0, SHOWN)
				.trim()
				.replace(/\r\n/g, "\n")
				.replace(/[^\n\t]+/g, escapeForDisplay)}
			{cut && "\n…"}
		</pre>
	);
}
