import type { Joint, SceneData } from "../data/format.ts";
import { vector } from "./parts.ts";

/** Width and length of the box that slides on a rail, in radii of a bar: it stands out beside a ball on it. */
export function carriageSize(joint: Joint, scene: SceneData, unit: number): { width: number; length: number } {
  const centre = vector(joint.on_child.position);
  let widest = 0;
  for (const shape of scene.bodies[joint.child]?.shapes ?? [])
    if (shape.kind === "sphere" && vector(shape.position).distanceTo(centre) < shape.size[0]) widest = Math.max(widest, shape.size[0] / unit);
  return { width: Math.max(3.4, 1.2 * widest), length: Math.max(6.5, 3 * widest) };
}
