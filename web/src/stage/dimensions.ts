import { Box3, Matrix4, Vector3 } from "three";
import type { Joint, SceneData } from "../data/format.ts";
import type { Motion } from "../data/motion.ts";
import { frameMatrix, vector } from "./parts.ts";

/** Radius of the thinnest bar that is well seen, as part of what is in view. */
export const thinnest = 0.002;

const sliding = new Set(["prismatic", "cylindrical", "helical"]);

/** Matrices from body to world at the time. */
export function bodyMatrices(motion: Motion | undefined, bodies: number, time: number): Matrix4[] {
  const poses = new Float32Array(bodies * 7);
  if (motion) motion.at(time, poses);
  return Array.from({ length: bodies }, (_, body) => {
    if (!motion) return new Matrix4();
    const p = poses.subarray(body * 7, body * 7 + 7);
    return frameMatrix({ position: [p[0], p[1], p[2]], quaternion: [p[3], p[4], p[5], p[6]] });
  });
}

export function slides(joint: Joint): boolean {
  return sliding.has(joint.type);
}

/** Measures from which thickness of bars, size of symbols and length of rails follow. */
export class Dimensions {
  /** Points of each body at which joints hold it, in its frame. */
  readonly points: Vector3[][];
  /** Range that a sliding joint's child runs through along the axis on the parent. */
  readonly ranges: [number, number][];
  /** What the mechanism sweeps over, joints and body origins. */
  readonly sweep = new Box3();
  /** Of bars, and the measure of joint symbols. */
  readonly radius: number;
  /** Bodies to world at the start. */
  readonly initial: Matrix4[];

  constructor(
    private readonly scene: SceneData,
    motion: Motion | undefined,
  ) {
    const joints = scene.joints ?? [];
    this.points = scene.bodies.map(() => []);
    this.ranges = joints.map(() => [Infinity, -Infinity]);
    this.initial = bodyMatrices(motion, scene.bodies.length, motion?.times[0] ?? 0);
    for (const joint of joints) this.points[joint.child]?.push(vector(joint.on_child.position));
    this.measureMotion(joints, motion);
    joints.forEach((joint, i) => this.points[joint.parent]?.push(this.pointOnParent(joint, i)));
    const link = median(this.points.map(longest).filter((length) => length > 0));
    this.radius = this.barRadius(link);
  }

  get size(): number {
    return this.sweep.isEmpty() ? 1 : Math.max(this.sweep.getSize(new Vector3()).length(), 1e-9);
  }

  /** Where a bar of the parent should end: on the rail, if there is one. */
  private pointOnParent(joint: Joint, index: number): Vector3 {
    const range = this.ranges[index];
    const along = slides(joint) && range[0] <= range[1] ? Math.min(range[1], Math.max(range[0], 0)) : 0;
    return new Vector3(0, 0, along).applyMatrix4(frameMatrix(joint.on_parent));
  }

  private measureMotion(joints: Joint[], motion: Motion | undefined): void {
    const affordable = Math.ceil(60_000 / (this.scene.bodies.length + joints.length + 1));
    const samples = motion ? Math.min(motion.times.length, affordable, 200) : 1;
    for (let i = 0; i < samples; ++i) {
      const time = motion ? motion.times[Math.round((i * (motion.times.length - 1)) / Math.max(1, samples - 1))] : 0;
      const bodies = i === 0 ? this.initial : bodyMatrices(motion, this.scene.bodies.length, time);
      this.measurePose(joints, bodies);
    }
  }

  private measurePose(joints: Joint[], bodies: Matrix4[]): void {
    const point = new Vector3();
    for (const body of bodies) this.include(point.setFromMatrixPosition(body));
    joints.forEach((joint, i) => {
      point.copy(vector(joint.on_child.position));
      if (joint.child >= 0) point.applyMatrix4(bodies[joint.child]);
      this.include(point);
      if (!slides(joint)) return;
      const parent = frameMatrix(joint.on_parent);
      if (joint.parent >= 0) parent.premultiply(bodies[joint.parent]);
      const along = point.applyMatrix4(parent.invert()).z;
      this.ranges[i] = [Math.min(this.ranges[i][0], along), Math.max(this.ranges[i][1], along)];
    });
  }

  private include(point: Vector3): void {
    if (Number.isFinite(point.x + point.y + point.z)) this.sweep.expandByPoint(point);
  }

  private barRadius(link: number): number {
    const given: number[] = [];
    for (const body of this.scene.bodies) for (const shape of body.shapes ?? []) if (shape.kind === "bar") given.push(shape.radius);
    const wish = given.length ? median(given) : 0.05 * (link || this.size);
    return Math.min(wish, 0.014 * this.size);
  }
}

/** A body's longest way between joints, or from its one joint to its origin. */
function longest(points: Vector3[]): number {
  let length = points.length === 1 ? points[0].length() : 0;
  for (let i = 1; i < points.length; ++i) length = Math.max(length, points[i].distanceTo(points[0]));
  return length;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

