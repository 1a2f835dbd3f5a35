import { Color, Matrix4, Quaternion, Vector3 } from "three";
import type { Frame, Quaternion as QuaternionData, Vector } from "../data/format.ts";

/** Unit solids that everything but meshes is made of; many of one kind are drawn in one go. */
export type Solid = "cylinder" | "sphere" | "box" | "ring" | "cone";

/** What a part stands for, so that symbols can be hidden and shapes picked. */
export type Role = "shape" | "joint" | "support";

/** A unit solid, stretched and placed in the frame of a body. */
export interface Part {
  solid: Solid;
  body: number; // −1: ground
  local: Matrix4;
  color: Color;
  role: Role;
  /** Of bars: they are drawn thicker than this where they would be too thin to see. */
  radius?: number;
  /** Of supports: they grow about this point where they would be too small to see. */
  anchor?: { point: Vector3; unit: number };
}

export const ground = -1;

export function vector(from: Vector | undefined): Vector3 {
  return from ? new Vector3(from[0], from[1], from[2]) : new Vector3();
}

export function quaternion(from: QuaternionData | undefined): Quaternion {
  return from ? new Quaternion(from[1], from[2], from[3], from[0]).normalize() : new Quaternion();
}

export function frameMatrix(frame: Partial<Frame>): Matrix4 {
  return new Matrix4().compose(vector(frame.position), quaternion(frame.quaternion), new Vector3(1, 1, 1));
}

/** A part in a frame of its body: its centre there, and its extent along the frame's axes. */
export function placed(
  solid: Solid,
  body: number,
  frame: Matrix4,
  centre: Vector3,
  extent: Vector3,
  color: Color,
  role: Role,
  turn = new Quaternion(),
): Part {
  const local = new Matrix4().compose(centre, turn, extent).premultiply(frame);
  return { solid, body, local, color, role };
}

/** The matrix that makes of the unit cylinder a rod from one point to the other. */
export function rodMatrix(from: Vector3, to: Vector3, radius: number, out = new Matrix4()): Matrix4 {
  const along = to.clone().sub(from);
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), length > 0 ? along.divideScalar(length) : new Vector3(0, 0, 1));
  return out.compose(from.clone().add(to).multiplyScalar(0.5), turn, new Vector3(radius, radius, Math.max(length, 1e-12)));
}

export function rod(body: number, from: Vector3, to: Vector3, radius: number, color: Color, role: Role): Part {
  return { solid: "cylinder", body, local: rodMatrix(from, to, radius), color, role, radius };
}

/** Balls of neighbouring bodies often share place and size; a difference coarser than their facets decides which is seen. */
function apart(radius: number, body: number): number {
  return radius * (1 + 0.012 * ((body + 1) % 5));
}

export function ball(body: number, centre: Vector3, radius: number, color: Color, role: Role): Part {
  const drawn = apart(radius, body);
  return { ...placed("sphere", body, new Matrix4(), centre, new Vector3(drawn, drawn, drawn), color, role), radius: drawn };
}
