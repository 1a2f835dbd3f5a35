import { type Camera, Vector3 } from "three";
import type { SceneData } from "../data/format.ts";
import { vector } from "./parts.ts";

const reach = 24; // pixels
const axisColors = ["#d0453c", "#3d9a50", "#3b76d6"];

interface Arrow {
  direction: Vector3;
  group: SVGGElement;
  line: SVGLineElement;
  text: SVGTextElement;
}

/** The axes of the world and the way things fall, small, in a corner. */
export class Compass {
  readonly root = svg("svg", { class: "compass", viewBox: "-40 -40 80 80", role: "img", "aria-label": "Axes, and gravity" });
  private readonly arrows: Arrow[];

  constructor(scene: SceneData) {
    const axes = ["x", "y", "z"].map((name, i) => this.arrow(name, new Vector3().setComponent(i, 1), axisColors[i]));
    const gravity = vector(scene.gravity);
    this.arrows = gravity.length() > 0 ? [...axes, this.arrow("g", gravity.normalize(), "#d4912f", "gravity")] : axes;
  }

  turn(camera: Camera): void {
    const view = camera.quaternion.clone().invert();
    const seen = this.arrows.map((arrow) => ({ arrow, at: arrow.direction.clone().applyQuaternion(view) }));
    for (const { arrow, at } of seen) {
      const long = arrow.group.classList.contains("gravity") ? 1.15 * reach : reach;
      arrow.line.setAttribute("x2", (long * at.x).toFixed(1));
      arrow.line.setAttribute("y2", (-long * at.y).toFixed(1));
      const flat = Math.hypot(at.x, at.y);
      const beyond = (long * flat + 8) / Math.max(flat, 0.05);
      arrow.text.setAttribute("x", (flat > 0.05 ? beyond * at.x : 8).toFixed(1));
      arrow.text.setAttribute("y", (flat > 0.05 ? -beyond * at.y : -8).toFixed(1));
    }
    // What points towards the viewer lies over the others.
    seen.sort((a, b) => a.at.z - b.at.z);
    this.root.replaceChildren(...seen.map(({ arrow }) => arrow.group));
  }

  private arrow(name: string, direction: Vector3, color: string, kind = "axis"): Arrow {
    const line = svg("line", { x1: "0", y1: "0", stroke: color });
    const text = svg("text", { fill: color });
    text.textContent = name;
    const group = svg("g", { class: kind });
    group.append(line, text);
    return { direction, group, line, text };
  }
}

function svg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes: Record<string, string>): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
