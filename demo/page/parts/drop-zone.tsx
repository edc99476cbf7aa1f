/** A place to drop things on that keyboards and screen readers can use too: two buttons open the pickers. */
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { inputOfDrop, inputOfFile, inputOfFolder, type PackageInput } from "./input.ts";

export interface DropZoneProps {
	readonly label: string;
	readonly onInput: (input: PackageInput) => void;
	/** Whether a folder can be given; files always can. */
	readonly folders?: boolean;
	/** What the file picker offers first, as in `accept`. */
	readonly accept?: string;
	/** A small one, for a second thing beside the first. */
	readonly small?: boolean;
	readonly children?: ComponentChildren;
}

export function DropZone({ label, onInput, folders = true, accept, small, children }: DropZoneProps): JSX.Element {
	const [over, setOver] = useState(false);
	const [fault, setFault] = useState<string | undefined>();
	const file = useRef<HTMLInputElement>(null);
	const folder = useRef<HTMLInputElement>(null);
	const take = (input: PackageInput | undefined): void => {
		if (input === undefined) setFault("That was no file or folder. Drop one from your file manager.");
		else if (input.kind === "folder" && !folders) setFault("A file is wanted here, not a folder.");
		else {
			setFault(undefined);
			onInput(input);
		}
	};
	return (
		<fieldset
			class={`drop${over ? " over" : ""}${small ? " small" : ""}`}
			aria-label={label}
			onDragOver={(event) => {
				event.preventDefault();
				setOver(true);
			}}
			onDragLeave={() => setOver(false)}
			onDrop={(event) => {
				event.preventDefault();
				event.stopPropagation();
				setOver(false);
				take(inputOfDrop(event.dataTransfer));
			}}
		>
			<p class="drop-label">{label}</p>
			<p class="drop-ways">
				<button type="button" onClick={() => file.current?.click()}>
					Choose a file
				</button>
				{folders && (
					<button
						type="button"
						class="plain"
						title="Your browser may ask whether to “upload” the folder. Nothing is uploaded: this page can't."
						onClick={() => folder.current?.click()}
					>
						Choose a folder
					</button>
				)}
				{children}
			</p>
			{fault !== undefined && (
				<p class="bad" role="alert">
					{fault}
				</p>
			)}
			<input
				ref={file}
				type="file"
				hidden
				accept={accept}
				aria-label={`${label}: a file`}
				onChange={({ currentTarget }) => {
					const chosen = currentTarget.files?.[0];
					if (chosen !== undefined) take(inputOfFile(chosen));
					currentTarget.value = "";
				}}
			/>
			{folders && (
				<input
					ref={folder}
					type="file"
					hidden
					{...{ webkitdirectory: true }}
					aria-label={`${label}: a folder`}
					onChange={({ currentTarget }) => {
						if (currentTarget.files !== null && currentTarget.files.length > 0)
							take(inputOfFolder(currentTarget.files));
						currentTarget.value = "";
					}}
				/>
			)}
		</fieldset>
	);
}
