/**
 * What plugs millrace into a web page: packages that were dropped or picked.
 *
 * @module millrace/browser
 */
export { type DroppedItems, directoryHandle, droppedItems, pickedFolder } from "./folders.ts";
