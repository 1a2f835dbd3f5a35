import { Matrix4, Vector3 } from "three";
import type { Joint, SceneData } from "../data/format.ts";
import { carriageSize } from "./carriage.ts";
import { dark, support } from "./colors.ts";
import { type Dimensions, slides } from "./dimensions.ts";
import { frameMatrix, ground, type Part, placed, rodMatrix, vector } from "./parts.ts";

/** The symbol by which drawings of mechanisms say "held by ground": a foot on a hatched plate. */
export function supportParts(joint: Joint, scene: SceneData, dimensions: Dimensions, index: number): Part[] {
  const parentIsGround = joint.parent === ground;
  if (!parentIsGround && joint.child !== ground) return [];
  const frame = frameMatrix(parentIsGround ? joint.on_parent : joint.on_child);
  const other = parentIsGround ? joint.child : joint.parent;
  const axis = new Vector3(0, 0, 1).transformDirection(frame);
  const unit = dimensions.radius;
  const rail = slides(joint) && parentIsGround;
  const down = footDirection(axis, vector(scene.up ?? [0, 0, 1]), joint, dimensions, other, frame, rail);
  const along = rail ? axis : sideways(axis, down);
  const range = rail ? dimensions.ranges[index] : [0, 0];
  const middle = Number.isFinite(range[0] + range[1]) ? (range[0] + range[1]) / 2 : 0;
  const half = rail && Number.isFinite(range[1] - range[0]) ? (range[1] - range[0]) / 2 + 6 * unit : 4.5 * unit;
  const centre = new Vector3().setFromMatrixPosition(frame).addScaledVector(axis, rail ? middle : 0);
  const beneath = rail ? railDrop(joint, scene, unit) : undefined;
  if (!rail && standsOnRail(centre, down, scene, dimensions)) return [foot(placeOf(centre, down, along), 2.6 * unit, unit)];
  const parts = plate(centre, down, along, half, unit, beneath);
  return rail ? parts : parts.map((part) => ({ ...part, anchor: { point: centre, unit } }));
}

/** Away from what it holds: below, above or beside, never along the axis of a pin unless that stands upright. */
function footDirection(
  axis: Vector3,
  up: Vector3,
  joint: Joint,
  dimensions: Dimensions,
  other: number,
  frame: Matrix4,
  rail: boolean,
): Vector3 {
  up.normalize();
  const upright = Math.abs(axis.dot(up)) > 0.9;
  const pinned = rail || joint.type === "revolute" || joint.type === "cylindrical" || joint.type === "helical";
  if (rail) return upright ? perpendicular(up) : up.clone().addScaledVector(axis, -axis.dot(up)).normalize().negate();
  if (upright && pinned) return up.clone().negate();
  const away = new Vector3().setFromMatrixPosition(frame);
  if (other >= 0) away.sub(new Vector3().setFromMatrixPosition(dimensions.initial[other]));
  const upward = pinned ? up.clone().addScaledVector(axis, -axis.dot(up)).normalize() : up;
  return away.dot(upward) > 0.2 * away.length() ? upward.clone() : upward.clone().negate();
}

function sideways(axis: Vector3, down: Vector3): Vector3 {
  const side = new Vector3().crossVectors(axis, down);
  return side.length() > 0.1 ? side.normalize() : perpendicular(down);
}

function perpendicular(to: Vector3): Vector3 {
  const start = Math.abs(to.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  return start.addScaledVector(to, -start.dot(to)).normalize();
}

const pinDrop = 4.6;

/** How far below its rail the plate lies, in lengths: clear of the box that slides. */
function railDrop(joint: Joint, scene: SceneData, unit: number): number {
  const { width } = carriageSize(joint, scene, unit);
  return (joint.type === "prismatic" ? Math.max(2.6, width / 2 + 0.9) : 2.6) * unit;
}

/** Whether a pin lies over the plate of a rail, which then holds it as well: two hatchings would cross. */
function standsOnRail(centre: Vector3, down: Vector3, scene: SceneData, dimensions: Dimensions): boolean {
  const near = 5 * dimensions.radius;
  return (scene.joints ?? []).some((joint, i) => {
    if (!slides(joint) || joint.parent !== ground) return false;
    const [from, to] = dimensions.ranges[i];
    const frame = frameMatrix(joint.on_parent);
    if (Math.abs(down.dot(new Vector3(0, 0, 1).transformDirection(frame))) > 0.5) return false; // its plate lies beside
    const local = centre.clone().applyMatrix4(frame.invert());
    return Math.hypot(local.x, local.y) < near && local.z > from - near && local.z < to + near;
  });
}

function placeOf(centre: Vector3, down: Vector3, along: Vector3): Matrix4 {
  return new Matrix4().makeBasis(along, new Vector3().crossVectors(down, along), down).setPosition(centre);
}

function foot(place: Matrix4, drop: number, unit: number): Part {
  return placed("cone", ground, place, new Vector3(0, 0, 0.5 * drop), new Vector3(3 * unit, 3 * unit, drop), support, "support");
}

/** A rail says how far below it the plate lies; a pin stands on its foot. */
function plate(centre: Vector3, down: Vector3, along: Vector3, half: number, unit: number, beneath: number | undefined): Part[] {
  const place = placeOf(centre, down, along);
  const rail = beneath !== undefined;
  const drop = beneath ?? pinDrop * unit;
  const width = (rail ? 4.4 : 6) * unit;
  const parts: Part[] = [];
  if (!rail) parts.push(foot(place, drop, unit));
  const top = new Vector3(0, 0, drop + 0.35 * unit);
  parts.push(placed("box", ground, place, top, new Vector3(2 * half, width, 0.7 * unit), support, "support"));
  const strokes = Math.min(60, Math.max(4, Math.round((2 * half) / (2 * unit))));
  for (let i = 0; i <= strokes; ++i) {
    const x = -half + (2 * half * i) / strokes;
    for (const y of [-0.42 * width, 0.42 * width]) {
      const from = new Vector3(x, y, drop + 0.6 * unit).applyMatrix4(place);
      const to = new Vector3(x - 1.5 * unit, y, drop + 2.3 * unit).applyMatrix4(place);
      parts.push({ solid: "cylinder", body: ground, local: rodMatrix(from, to, 0.16 * unit), color: dark, role: "support" });
    }
  }
  return parts;
}
