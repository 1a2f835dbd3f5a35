type Child = Node | string | undefined | null | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element with attributes; functions are listeners, `true` is an attribute without value. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value as EventListener);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

/** Drawn on a square of 16 by 16, by strokes unless the path is marked as filled. */
const icons: Record<string, string> = {
  play: "F M4 2.5v11l9.5-5.5z",
  pause: "F M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  back: "F M3 3h2v10H3zM13 3v10L6 8z",
  loop: "M3 7a4.5 4.5 0 0 1 4.5-3.5h4.5M10 1.5l2.2 2-2.2 2M13 9a4.5 4.5 0 0 1-4.5 3.5h-4.5M6 14.5l-2.2-2 2.2-2",
  fit: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  series: "M1.5 11c2-7 4-7 6 0s4.5 3 7-5",
  keys: "M1.5 4h13v8h-13zM4 6.5h.5M7.5 6.5h.5M11 6.5h.5M4.5 9.5h7",
};

export function icon(name: keyof typeof icons & string): SVGSVGElement {
  const filled = icons[name].startsWith("F ");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", filled ? "icon filled" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", filled ? icons[name].slice(2) : icons[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: keyof typeof icons & string, label: string, press: () => void): HTMLButtonElement {
  return element("button", { type: "button", class: "icon-button", title: label, "aria-label": label, click: press }, icon(name));
}

/** Hands a text to the viewer as a file. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
