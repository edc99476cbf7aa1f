export { chromiumPath, launchChromium, needsChromium } from "./chromium.mjs";
