import { Color, Matrix4, Quaternion, Vector3 } from "three";
import type { Joint, SceneData } from "../data/format.ts";
import { carriageSize } from "./carriage.ts";
import { dark, steel } from "./colors.ts";
import type { Dimensions } from "./dimensions.ts";
import { frameMatrix, type Part, placed, type Solid } from "./parts.ts";
import { supportParts } from "./supports.ts";

const axisX = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(1, 0, 0));
const axisY = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(0, 1, 0));
const atOrigin = new Vector3();

/** Puts parts into one of a joint's two frames; lengths are in radii of a bar. */
class Pen {
  constructor(
    private readonly parts: Part[],
    private readonly body: number,
    private readonly frame: Matrix4,
    private readonly unit: number,
  ) {}

  draw(solid: Solid, extent: [number, number, number], color: Color, centre = atOrigin, turn = new Quaternion()): this {
    const size = new Vector3(...extent).multiplyScalar(this.unit);
    this.parts.push(placed(solid, this.body, this.frame, centre.clone().multiplyScalar(this.unit), size, color, "joint", turn));
    return this;
  }
}

/** A symbol for each joint, after its type; supports where it holds on to ground. */
export function jointSymbols(scene: SceneData, dimensions: Dimensions): Part[] {
  const parts: Part[] = [];
  (scene.joints ?? []).forEach((joint, index) => {
    if (joint.type === "free") return;
    const unit = dimensions.radius;
    const onParent = new Pen(parts, joint.parent, frameMatrix(joint.on_parent), unit);
    const onChild = new Pen(parts, joint.child, frameMatrix(joint.on_child), unit);
    const range = dimensions.ranges[index].map((end) => (Number.isFinite(end) ? end / unit : 0)) as [number, number];
    drawSymbol(joint, onParent, onChild, range, carriageSize(joint, scene, unit));
    parts.push(...supportParts(joint, scene, dimensions, index));
  });
  return parts;
}

function drawSymbol(joint: Joint, onParent: Pen, onChild: Pen, range: [number, number], carriage: { width: number; length: number }): void {
  switch (joint.type) {
    case "revolute":
      onParent.draw("cylinder", [1.85, 1.85, 2.9], dark);
      onChild.draw("cylinder", [0.95, 0.95, 3.5], steel);
      break;
    case "prismatic":
      drawRail(onParent, "box", range, 1.1);
      onChild.draw("box", [carriage.width, carriage.width, carriage.length], dark);
      break;
    case "cylindrical":
      drawRail(onParent, "cylinder", range, 0.7);
      onChild.draw("cylinder", [1.9, 1.9, 6], dark);
      break;
    case "helical":
      drawRail(onParent, "cylinder", range, 0.8);
      drawThread(onParent, range);
      onChild.draw("cylinder", [2.2, 2.2, 4], dark);
      break;
    case "universal":
      onParent.draw("cylinder", [0.75, 0.75, 5], steel, atOrigin, axisX);
      onChild.draw("cylinder", [0.75, 0.75, 5], dark, atOrigin, axisY).draw("sphere", [1.3, 1.3, 1.3], dark);
      break;
    case "spherical":
      onParent.draw("ring", [1.75, 1.75, 1.75], dark);
      onChild.draw("sphere", [1.75, 1.75, 1.75], steel);
      break;
    case "planar":
      onParent.draw("box", [14, 14, 0.3], steel, new Vector3(0, 0, -0.6));
      onChild.draw("cylinder", [2, 2, 0.9], dark);
      break;
    case "fixed":
      onChild.draw("box", [2.6, 2.6, 2.6], dark);
      break;
    case "free":
  }
}

function drawRail(pen: Pen, solid: Solid, [from, to]: [number, number], thickness: number): void {
  const centre = new Vector3(0, 0, (from + to) / 2);
  pen.draw(solid, [thickness, thickness, to - from + 12], steel, centre);
}

/** Rings that read as a thread; not its true lead, which is too fine to see. */
function drawThread(pen: Pen, [from, to]: [number, number]): void {
  const count = Math.min(80, Math.max(8, Math.round((to - from + 10) / 1.6)));
  for (let i = 0; i <= count; ++i) {
    const z = from - 5 + ((to - from + 10) * i) / count;
    pen.draw("cylinder", [1.15, 1.15, 0.45], steel, new Vector3(0, 0, z));
  }
}
