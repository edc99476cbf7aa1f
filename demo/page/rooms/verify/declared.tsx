import type { ChannelContract, PackageSnapshot, Schema } from "millrace";
import type { ComponentChildren, JSX } from "preact";

/** What the package declares: its metadata, what it runs, what it takes and gives, what it uses. */
export function Declared({ snapshot }: { readonly snapshot: PackageSnapshot }): JSX.Element {
	const { metadata, entrypoint, schemas, uses, channels, channelContracts, outcomes, attachments, frontmatter } =
		snapshot;
	const extensions = Object.entries(frontmatter).filter(([name]) => name.startsWith("x-"));
	return (
		<section class="sheet" aria-labelledby="declared">
			<h2 id="declared">{metadata.name}</h2>
			<p>{metadata.description}</p>
			<dl class="facts">
				<dt>Entrypoint</dt>
				<dd>
					{entrypoint === undefined ? (
						"none: instructions only"
					) : (
						<>
							<code>{entrypoint.path}</code>
							{entrypoint.selector !== undefined && (
								<>
									, run by <code>{entrypoint.selector}</code>
								</>
							)}
						</>
					)}
				</dd>
				{(["input", "settings", "result"] as const).map((name) => (
					<SchemaFact key={name} name={name} schema={schemas[name]} />
				))}
				<Entries title="Outcomes" entries={[...outcomes]} show={(description) => description} />
				<Entries title="Attachments" entries={[...attachments]} show={(access) => access} />
				<Entries
					title="Uses"
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
					show={({ identity }: ChannelContract) => <Identity {...identity} />}
				/>
				<Entries title="Extensions" entries={extensions} show={(value) => <code>{JSON.stringify(value)}</code>} />
			</dl>
			<Body bytes={snapshot.body} />
		</section>
	);
}

function SchemaFact({ name, schema }: { readonly name: string; readonly schema: Schema | undefined }): JSX.Element {
	const none = name === "settings" ? "none: only {} is taken" : "none: any value";
	return (
		<>
			<dt>{name} schema</dt>
			<dd>
				{schema === undefined
					? none
					: `${schema.nodes} ${schema.nodes === 1 ? "node" : "nodes"}, depth ${schema.depth}`}
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
							<code>{name}</code>: {show(value)}
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
			<code>{id}</code> {version}
			{path !== undefined && (
				<>
					{" "}
					in <code>{path}</code>
				</>
			)}
			{methods !== undefined && methods.length > 0 && `, methods ${methods.join(", ")}`}
			<br />
			<code class="hash">{digest}</code>
		</span>
	);
}

/** Characters of the body that are shown. */
const SHOWN = 20_000;

function Body({ bytes }: { readonly bytes: Uint8Array }): JSX.Element | null {
	if (bytes.length === 0) return null;
	const text = new TextDecoder().decode(bytes.subarray(0, SHOWN));
	return (
		<details>
			<summary>The instructions in FLOW.md</summary>
			<pre class="body">
				{text}
				{bytes.length > SHOWN && "\n…"}
			</pre>
		</details>
	);
}
