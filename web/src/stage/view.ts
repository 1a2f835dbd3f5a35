import type { Report } from "../data/report.ts";
import { element, iconButton } from "../page/dom.ts";
import { readable } from "../page/numbers.ts";
import { BodyChooser } from "./body_chooser.ts";
import { mostNamed } from "./names.ts";
import { Stage } from "./stage.ts";
import { presets } from "./viewpoint.ts";

// Finding the body under the pointer costs a look at every part, so the pointer has to rest first.
const restBeforeTip = 60; // milliseconds
const keyTurn = Math.PI / 36;

/** The animation with the buttons around it. Where there is no WebGL it says so, and `stage` is missing. */
export class View {
  readonly root = element("section", { class: "stage", "aria-label": "Animation" });
  readonly stage: Stage | undefined;
  private resting = 0;
  private readonly tip = element("div", { class: "tip", hidden: true });

  constructor(private readonly report: Report) {
    if (!report.runs.some((run) => run.hasPoses)) {
      this.root.append(notice("Nothing to animate", "This report holds no poses of bodies, so only its plots are shown."));
      return;
    }
    try {
      this.stage = new Stage(report, this.root);
    } catch (problem) {
      console.warn(String(problem));
      this.root.append(notice("The animation cannot be shown", "This browser offers no WebGL, or it is switched off. Plots and tables work all the same."));
      return;
    }
    this.stage.canvas.setAttribute("role", "img");
    this.stage.canvas.setAttribute("aria-label", `${report.data.title} in motion; arrow keys turn the view`);
    this.root.append(this.tools(this.stage), this.tip, this.scaleNote(this.stage));
    this.listen(this.stage);
  }

  private tools(stage: Stage): HTMLElement {
    const views = presets.map((name) =>
      element("button", { type: "button", class: "text-button", title: `View: ${name}`, click: () => stage.viewpoint.preset(name) }, name),
    );
    const symbols = toggle("joints", "Symbols of joints and supports", true, (visible) => stage.showSymbols(visible));
    const few = this.report.data.scene.bodies.length <= mostNamed;
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "View" },
      iconButton("fit", "Fit everything into view (F)", () => stage.viewpoint.fit()),
      ...views,
      element("span", { class: "gap" }),
      symbols,
      few && toggle("names", "Names of bodies and joints", false, (visible) => stage.showNames(visible)),
    );
    if (this.report.runs.filter((run) => run.hasPoses).length > 1)
      tools.append(toggle("ghosts", "Show the other runs as ghosts", false, (visible) => stage.showGhosts(visible)));
    tools.append(element("span", { class: "gap" }), this.chooser(stage).root);
    return tools;
  }

  private chooser(stage: Stage): BodyChooser {
    const names = this.report.data.scene.bodies.map((body) => body.name);
    const chooser = new BodyChooser(names, stage);
    stage.canvas.addEventListener("dblclick", (event) => {
      const body = stage.bodyAt(event.offsetX, event.offsetY);
      if (body !== undefined && body >= 0) chooser.follow(body);
    });
    return chooser;
  }

  private scaleNote(stage: Stage): HTMLElement {
    return element("p", { class: "scale" }, `grid ${readable(stage.gridSpacing)} m`);
  }

  private listen(stage: Stage): void {
    stage.canvas.addEventListener("pointermove", (event) => {
      this.hideTip();
      if (event.buttons === 0) this.resting = window.setTimeout(() => this.showTip(stage, event.offsetX, event.offsetY), restBeforeTip);
    });
    stage.canvas.addEventListener("pointerleave", () => this.hideTip());
    stage.canvas.tabIndex = 0;
    stage.canvas.addEventListener("keydown", (event) => {
      const turns: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const turn = turns[event.key];
      if (!turn) return;
      stage.viewpoint.turn(turn[0] * keyTurn, turn[1] * keyTurn);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** The name of what is under the pointer. */
  private showTip(stage: Stage, x: number, y: number): void {
    const body = stage.bodyAt(x, y);
    if (body === undefined) return;
    this.tip.hidden = false;
    this.tip.textContent = body < 0 ? "ground" : this.report.data.scene.bodies[body].name;
    this.tip.style.transform = `translate(${x + 14}px, ${y + 10}px)`;
  }

  private hideTip(): void {
    window.clearTimeout(this.resting);
    this.tip.hidden = true;
  }
}

function toggle(label: string, title: string, pressed: boolean, change: (pressed: boolean) => void): HTMLElement {
  const button = element("button", { type: "button", class: "text-button", "aria-pressed": String(pressed), title }, label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
  });
  return button;
}

function notice(title: string, text: string): HTMLElement {
  return element("div", { class: "notice" }, element("h2", {}, title), element("p", {}, text));
}
