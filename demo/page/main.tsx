import { render } from "preact";
import { App } from "./shell/app.tsx";

const page = document.getElementById("page");
if (page === null) throw new Error("index.html has no element #page.");
page.replaceChildren();
render(<App />, page);
