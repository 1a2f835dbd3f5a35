import { Box3, type Matrix4, Vector3 } from "three";
import { decodeFloats } from "../data/columns.ts";
import type { Motion } from "../data/motion.ts";
import { bodyMatrices, type Dimensions } from "./dimensions.ts";
import { frameMatrix, type Part } from "./parts.ts";
import type { MeshPart } from "./shapes.ts";

const affordable = 100_000; // points, all samples together

/** What must be in view. */
export interface Viewed {
  box: Box3;
  /** The outermost points: fitting them, all is in view, and closer than the box would allow. */
  outline: Vector3[];
}

/** Everything that is drawn, wherever it gets to. */
export function viewedSpace(parts: Part[], meshes: MeshPart[], dimensions: Dimensions, motion: Motion | undefined): Viewed {
  const bodies = dimensions.initial.length;
  const points = collectPoints(parts, meshes, bodies);
  const box = dimensions.sweep.clone();
  const outline = new Outline();
  const count = points.reduce((sum, list) => sum + list.length, 1);
  const samples = motion ? Math.max(1, Math.min(motion.samples, 60, Math.floor(affordable / count))) : 1;
  for (let i = 0; i < samples; ++i) {
    const at = motion ? motion.times[Math.round((i * (motion.samples - 1)) / Math.max(1, samples - 1))] : 0;
    include(box, outline, points, bodyMatrices(motion, bodies, at));
  }
  if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
  box.expandByScalar(Math.max(dimensions.radius, 1e-6));
  return { box, outline: outline.points() };
}

/** Of many points the farthest in each of many directions. */
class Outline {
  private readonly directions = spread(64);
  private readonly farthest = this.directions.map(() => ({ reach: -Infinity, point: new Vector3() }));

  add(point: Vector3): void {
    for (let i = 0; i < this.directions.length; ++i) {
      const reach = point.dot(this.directions[i]);
      if (reach <= this.farthest[i].reach) continue;
      this.farthest[i].reach = reach;
      this.farthest[i].point.copy(point);
    }
  }

  points(): Vector3[] {
    return this.farthest.filter(({ reach }) => reach > -Infinity).map(({ point }) => point);
  }
}

/** Directions evenly all around. */
function spread(count: number): Vector3[] {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const z = 1 - (2 * i + 1) / count;
    const level = Math.sqrt(1 - z * z);
    return new Vector3(level * Math.cos(golden * i), level * Math.sin(golden * i), z);
  });
}

/** Points that span a body's parts, in its frame; ground first. */
function collectPoints(parts: Part[], meshes: MeshPart[], bodies: number): Vector3[][] {
  const points: Vector3[][] = Array.from({ length: bodies + 1 }, () => []);
  for (const { body, local, solid } of parts) {
    const reach = solid === "sphere" || solid === "ring" ? 1 : 0.5;
    for (const z of [-reach, reach]) points[body + 1].push(new Vector3(0, 0, z).applyMatrix4(local));
    if (solid === "box")
      for (const side of [-0.5, 0.5]) points[body + 1].push(new Vector3(side, 0, 0).applyMatrix4(local), new Vector3(0, side, 0).applyMatrix4(local));
  }
  for (const { body, shape } of meshes) {
    const box = new Box3().setFromArray(decodeFloats(shape.vertices) as Float32Array);
    const frame = frameMatrix(shape);
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y])
        for (const z of [box.min.z, box.max.z]) points[body + 1].push(new Vector3(x, y, z).applyMatrix4(frame));
  }
  return points;
}

function include(box: Box3, outline: Outline, points: Vector3[][], bodies: Matrix4[]): void {
  const place = new Vector3();
  points.forEach((list, i) => {
    for (const point of list) {
      place.copy(point);
      if (i > 0) place.applyMatrix4(bodies[i - 1]);
      if (!Number.isFinite(place.x + place.y + place.z)) continue;
      box.expandByPoint(place);
      outline.add(place);
    }
  });
}
