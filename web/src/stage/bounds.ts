import { Box3, type Matrix4, Vector3 } from "three";
import { decodeFloats } from "../data/columns.ts";
import type { Motion } from "../data/motion.ts";
import { bodyMatrices, type Dimensions } from "./dimensions.ts";
import { frameMatrix, type Part } from "./parts.ts";
import type { MeshPart } from "./shapes.ts";

const affordable = 300_000; // points, all samples together

/** What must be in view: everything that is drawn, wherever it gets to. */
export function viewedBox(parts: Part[], meshes: MeshPart[], dimensions: Dimensions, motion: Motion | undefined): Box3 {
  const bodies = dimensions.initial.length;
  const points = collectPoints(parts, meshes, bodies);
  const box = dimensions.sweep.clone();
  const count = points.reduce((sum, list) => sum + list.length, 1);
  const samples = motion ? Math.max(1, Math.min(motion.samples, 60, Math.floor(affordable / count))) : 1;
  for (let i = 0; i < samples; ++i) {
    const at = motion ? motion.times[Math.round((i * (motion.samples - 1)) / Math.max(1, samples - 1))] : 0;
    include(box, points, bodyMatrices(motion, bodies, at));
  }
  if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
  return box.expandByScalar(Math.max(dimensions.radius, 1e-6));
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

function include(box: Box3, points: Vector3[][], bodies: Matrix4[]): void {
  const place = new Vector3();
  points.forEach((list, i) => {
    for (const point of list) {
      place.copy(point);
      if (i > 0) place.applyMatrix4(bodies[i - 1]);
      if (Number.isFinite(place.x + place.y + place.z)) box.expandByPoint(place);
    }
  });
}
