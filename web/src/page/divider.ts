import { element } from "./dom.ts";

/** The line between animation and plots; it can be dragged, or moved by arrow keys. */
export function divider(work: HTMLElement): HTMLElement {
  const line = element("div", {
    class: "divider",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "vertical",
    "aria-label": "Width of the animation",
    "aria-valuemin": 25,
    "aria-valuemax": 75,
  });
  let percent = 50;
  const set = (wish: number) => {
    percent = Math.min(75, Math.max(25, wish));
    work.style.setProperty("--split", `${percent}%`);
    line.setAttribute("aria-valuenow", String(Math.round(percent)));
  };
  line.addEventListener("pointerdown", (event) => {
    line.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  line.addEventListener("pointermove", (event) => {
    if (!line.hasPointerCapture(event.pointerId)) return;
    const box = work.getBoundingClientRect();
    set(((event.clientX - box.left) / box.width) * 100);
  });
  line.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 2 : event.key === "ArrowLeft" ? -2 : 0;
    if (step === 0) return;
    set(percent + step);
    event.preventDefault();
    event.stopPropagation();
  });
  set(percent);
  return line;
}
