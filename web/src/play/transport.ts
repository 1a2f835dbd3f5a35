import { element, icon, iconButton } from "../page/dom.ts";
import { timeText } from "../page/numbers.ts";
import type { NamedEvent } from "../panels/events.ts";
import { type Clock, fastest, slowest } from "./clock.ts";
import { Timeline } from "./timeline.ts";

/** Play, scrub, speed, loop: the bar at the foot of the page. */
export function transportBar(clock: Clock, events: NamedEvent[], samples: number): HTMLElement {
  const span = clock.end - clock.start;
  const play = element("button", { type: "button", class: "play", click: () => clock.toggle() });
  const loop = iconButton("loop", "Repeat (L)", () => clock.setLoop(!clock.loop));
  const now = element("output", { class: "now", "aria-label": "Time shown" });
  const showTime = () => {
    now.textContent = `${timeText(clock.time, span)} s`;
  };
  const showState = () => {
    play.replaceChildren(icon(clock.playing ? "pause" : "play"));
    const label = clock.playing ? "Pause (space)" : "Play (space)";
    play.setAttribute("aria-label", label);
    play.title = label;
    loop.setAttribute("aria-pressed", String(clock.loop));
  };
  clock.onTime(showTime);
  clock.onState(showState);
  showTime();
  showState();
  return element(
    "footer",
    { class: "transport" },
    iconButton("back", "To the start (Home)", () => clock.seek(clock.start)),
    play,
    loop,
    now,
    new Timeline(clock, events, samples).root,
    element("span", { class: "end" }, `${timeText(clock.end, span)} s`),
    speedControl(clock),
  );
}

/** From a tenth to ten times, evenly in ratio. */
function speedControl(clock: Clock): HTMLElement {
  const bar = element("input", { type: "range", min: Math.log10(slowest), max: Math.log10(fastest), step: 0.05, "aria-label": "Speed" });
  const text = element("button", { type: "button", class: "text-button speed-text", title: "Back to true speed", click: () => (clock.speed = 1) });
  const show = () => {
    bar.value = String(Math.log10(clock.speed));
    const label = `${Number(clock.speed.toPrecision(2))}×`;
    text.textContent = label;
    bar.setAttribute("aria-valuetext", label);
  };
  bar.addEventListener("input", () => (clock.speed = 10 ** Number(bar.value)));
  clock.onState(show);
  show();
  return element("div", { class: "speed", title: "Speed" }, bar, text);
}
