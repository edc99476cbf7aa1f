/** Where the page is: the room and what follows it in the URL's fragment (`#/playground/…`). */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";

export const ROOMS = ["verify", "playground", "run"] as const;
export type RoomName = (typeof ROOMS)[number];

export interface Route {
	/** Undefined is the front door. */
	readonly room: RoomName | undefined;
	/** What follows the room's name, as it stands in the URL. */
	readonly rest: string;
}

const hash: Signal<string> = signal(location.hash);
addEventListener("hashchange", () => {
	hash.value = location.hash;
});

export const route: ReadonlySignal<Route> = computed(() => readRoute(hash.value));

function readRoute(text: string): Route {
	const [, name, rest = ""] = /^#\/([a-z]*)\/?(.*)$/s.exec(text) ?? [];
	const room = ROOMS.find((known) => known === name);
	return { room, rest: room === undefined ? "" : rest };
}

export function goTo(room: RoomName): void {
	location.hash = `#/${room}`;
}

/** Puts a room's state into the URL without a step in the history, and without telling the room of it. */
export function replaceRest(room: RoomName, rest: string): void {
	history.replaceState(null, "", `#/${room}${rest === "" ? "" : `/${rest}`}`);
}
