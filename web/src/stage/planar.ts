import { Vector3 } from "three";
import type { SceneData } from "../data/format.ts";
import type { Dimensions } from "./dimensions.ts";
import { frameMatrix, ground } from "./parts.ts";

const parallel = 1e-6;

/** The axis about which everything turns, where a mechanism moves in a plane as it starts; none: it does not. */
export function planeNormal(scene: SceneData, dimensions: Dimensions): Vector3 | undefined {
  const axesOf = (type: string) =>
    (scene.joints ?? [])
      .filter((joint) => joint.type === type)
      .map((joint) => {
        const frame = frameMatrix(joint.on_parent);
        if (joint.parent !== ground) frame.premultiply(dimensions.initial[joint.parent]);
        return new Vector3(0, 0, 1).transformDirection(frame);
      });
  const others = (scene.joints ?? []).some(({ type }) => !["revolute", "prismatic", "planar", "fixed"].includes(type));
  const pins = [...axesOf("revolute"), ...axesOf("planar")];
  const [normal] = pins;
  if (others || !normal) return undefined;
  const flat = pins.every((axis) => crossed(axis, normal) < parallel * 10) && axesOf("prismatic").every((axis) => Math.abs(axis.dot(normal)) < parallel * 10);
  return flat ? facing(normal) : undefined;
}

/** Poses are single precision, so a little more than what is asked for is forgiven. */
function crossed(a: Vector3, b: Vector3): number {
  return new Vector3().crossVectors(a, b).length();
}

/** Of the two ways along an axis the one from which drawings are seen: z towards the viewer, x towards the viewer, y away. */
function facing(axis: Vector3): Vector3 {
  const towards = axis.clone();
  const sizes = [Math.abs(axis.x), Math.abs(axis.y), Math.abs(axis.z)];
  const most = sizes.indexOf(Math.max(...sizes));
  const wanted = [1, -1, 1][most];
  if (axis.getComponent(most) * wanted < 0) towards.negate();
  return towards;
}
