import { element, iconButton } from "./dom.ts";

const sections: [string, [string, string][]][] = [
  [
    "Animation",
    [
      ["Drag", "turn the view"],
      ["Wheel", "zoom to the pointer"],
      ["Right drag", "move the view"],
      ["← → ↑ ↓", "turn the view, when it has the focus"],
      ["Double click on a body", "follow it; again: let go"],
      ["F", "fit everything into view"],
    ],
  ],
  [
    "Time",
    [
      ["Space", "play, pause"],
      ["← →", "one sample back, forward"],
      ["Home, End", "to the start, to the end"],
      ["+ −", "faster, slower"],
      ["L", "repeat or stop at the end"],
    ],
  ],
  [
    "Plots",
    [
      ["Click", "go to that time"],
      ["Drag", "zoom in, all plots together"],
      ["Double click", "show everything again"],
      ["Drag the mark, the axis, or with Shift", "scrub the animation"],
    ],
  ],
];

/** What mouse and keys do, in a dialog behind a button. */
export function helpButton(): HTMLElement {
  const close = iconButton("close", "Close", () => dialog.close());
  const dialog: HTMLDialogElement = element(
    "dialog",
    { class: "help", "aria-label": "Mouse and keys" },
    element("header", {}, element("h2", {}, "Mouse and keys"), close),
    ...sections.map(([title, lines]) =>
      element("section", {}, element("h3", {}, title), element("dl", {}, ...lines.flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]))),
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return element("span", {}, iconButton("keys", "Mouse and keys", () => dialog.showModal()), dialog);
}
