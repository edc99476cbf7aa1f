/** The frame around every room: the name, the ways to the rooms, the theme, the promise at the foot. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Front } from "./front.tsx";
import { ROOMS, type RoomName, route } from "./route.ts";
import { chooseTheme, type Theme, theme } from "./theme.ts";

const TITLES: Readonly<Record<RoomName, string>> = { verify: "Verify", playground: "Playground", run: "Run" };

/** Each room is its own file, loaded when it is first entered. */
const LOAD: Readonly<Record<RoomName, () => Promise<{ default: ComponentType }>>> = {
	verify: () => import("../rooms/verify/index.tsx"),
	playground: () => import("../rooms/playground/index.tsx"),
	run: () => import("../rooms/run/index.tsx"),
};

export function App(): JSX.Element {
	const { room } = route.value;
	useEffect(() => {
		document.title = room === undefined ? "millrace" : `${TITLES[room]} · millrace`;
	}, [room]);
	return (
		<>
			<header class="top">
				<a class="brand" href="#/" aria-current={room === undefined ? "page" : undefined}>
					<img src="./mark.svg" width="28" height="28" alt="" />
					millrace
				</a>
				<nav aria-label="Rooms">
					{ROOMS.map((name) => (
						<a key={name} href={`#/${name}`} aria-current={name === room ? "page" : undefined}>
							{TITLES[name]}
						</a>
					))}
				</nav>
				<ThemeChoice />
			</header>
			<main id="main" tabIndex={-1}>
				{room === undefined ? <Front /> : <RoomOf key={room} name={room} />}
			</main>
			<footer class="foot">
				<p>
					Nothing you open here leaves your machine: this page loads nothing but its own files, and its content policy
					lets it connect to nothing.
				</p>
			</footer>
		</>
	);
}

function RoomOf({ name }: { readonly name: RoomName }): JSX.Element {
	const [loaded, setLoaded] = useState<{ readonly Room?: ComponentType; readonly fault?: string }>({});
	useEffect(() => {
		let left = false;
		LOAD[name]().then(
			({ default: Room }) => left || setLoaded({ Room }),
			(error: unknown) => left || setLoaded({ fault: String(error) }),
		);
		return () => {
			left = true;
		};
	}, [name]);
	if (loaded.fault !== undefined)
		return (
			<p class="notice bad" role="alert">
				This room could not be loaded ({loaded.fault}). Reload the page; if it stays so, the folder it is served from is
				incomplete.
			</p>
		);
	return loaded.Room === undefined ? <p class="quiet">Opening {TITLES[name]}…</p> : <loaded.Room />;
}

function ThemeChoice(): JSX.Element {
	return (
		<label class="theme">
			<span class="unseen">Theme</span>
			<select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
				<option value="system">System</option>
				<option value="light">Light</option>
				<option value="dark">Dark</option>
			</select>
		</label>
	);
}
