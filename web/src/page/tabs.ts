import { element } from "./dom.ts";

export interface Tab {
  name: string;
  label: string;
  content: HTMLElement;
}

/** Contents of which one is seen; arrow keys change between them, as usual for tabs. */
export function tabs(list: Tab[]): HTMLElement {
  const buttons = list.map(({ name, label }) =>
    element("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, label),
  );
  const panes = list.map(({ name, content }) =>
    element("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "pane" }, content),
  );
  const select = (index: number) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      panes[i].hidden = i !== index;
    });
  };
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => select(i));
    button.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      const next = (i + step + buttons.length) % buttons.length;
      select(next);
      buttons[next].focus();
      event.preventDefault();
      event.stopPropagation();
    });
  });
  select(0);
  return element("aside", { class: "side" }, element("div", { role: "tablist", class: "tabs", "aria-label": "Results" }, ...buttons), ...panes);
}
