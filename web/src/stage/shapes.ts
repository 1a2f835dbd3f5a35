import { Color, Matrix4, Vector3 } from "three";
import type { BarShape, MeshShape, SceneData, Shape, SolidShape } from "../data/format.ts";
import { bodyColor, shapeColor, support } from "./colors.ts";
import type { Dimensions } from "./dimensions.ts";
import { ball, frameMatrix, ground, type Part, placed, rod, vector } from "./parts.ts";

/** A shape with vertices of its own. */
export interface MeshPart {
  body: number;
  index: number;
  shape: MeshShape;
  color: Color;
}

/** The parts that a bar consists of, so that they can be moved when the bar deforms. */
export interface BarParts {
  body: number;
  index: number;
  shape: BarShape;
  first: number; // of its rods in the list of parts; its balls follow
}

export interface Drawing {
  parts: Part[];
  meshes: MeshPart[];
  bars: BarParts[];
}

/** Shapes as given; bars between joints for bodies that have none. */
export function drawBodies(scene: SceneData, dimensions: Dimensions): Drawing {
  const drawing: Drawing = { parts: [], meshes: [], bars: [] };
  const count = scene.bodies.length;
  scene.bodies.forEach((body, index) => {
    if (body.shapes?.length)
      body.shapes.forEach((shape, i) => addShape(drawing, shape, index, i, shapeColor(shape.color, index, count)));
    else drawing.parts.push(...defaultBars(index, dimensions.points[index], dimensions.radius, bodyColor(index, count)));
  });
  scene.ground?.shapes?.forEach((shape, i) => addShape(drawing, shape, ground, i, shape.color ? new Color(shape.color) : support));
  return drawing;
}

function addShape(drawing: Drawing, shape: Shape, body: number, index: number, color: Color): void {
  if (shape.kind === "mesh") drawing.meshes.push({ body, index, shape, color });
  else if (shape.kind === "bar") {
    drawing.bars.push({ body, index, shape, first: drawing.parts.length });
    drawing.parts.push(...barParts(body, shape.points.map(vector), shape.radius, color));
  } else drawing.parts.push(...solidParts(body, shape, color));
}

/** Rods between neighbouring points, then a ball at every point. */
function barParts(body: number, points: Vector3[], radius: number, color: Color): Part[] {
  const rods = points.slice(1).map((point, i) => rod(body, points[i], point, radius, color, "shape"));
  return [...rods, ...points.map((point) => ball(body, point, radius, color, "shape"))];
}

function solidParts(body: number, shape: SolidShape, color: Color): Part[] {
  const frame = frameMatrix(shape);
  const [a = 0, b = a, c = b] = shape.size;
  const centre = new Vector3();
  const part = (solid: Part["solid"], at: Vector3, extent: Vector3) => placed(solid, body, frame, at, extent, color, "shape");
  if (shape.kind === "box") return [part("box", centre, new Vector3(a, b, c))];
  if (shape.kind === "sphere") return [ball(body, vector(shape.position), a, color, "shape")];
  const cylinder = part("cylinder", centre, new Vector3(a, a, b));
  if (shape.kind === "cylinder") return [cylinder];
  const ends = [-b / 2, b / 2].map((z) => part("sphere", new Vector3(0, 0, z), new Vector3(a, a, a)));
  return [cylinder, ...ends];
}

/** The program sketches bodies without shapes itself; this is for data of other origin, in which shapes may be missing. */
function defaultBars(body: number, joints: Vector3[], radius: number, color: Color): Part[] {
  const points = distinct(joints, radius);
  const origin = new Vector3();
  if (points.length === 0) return [massBox(body, radius, color)];
  if (points.length === 1) {
    if (points[0].length() < 2 * radius) return [massBox(body, radius, color)];
    return [...barParts(body, [points[0], origin], radius, color), ball(body, origin, 1.9 * radius, color, "shape")];
  }
  if (points.length === 2) return barParts(body, points, radius, color);
  if (points.length === 3) return barParts(body, [...points, points[0]], radius, color);
  const centre = points.reduce((sum, point) => sum.add(point), new Vector3()).divideScalar(points.length);
  return points.flatMap((point) => barParts(body, [centre, point], radius, color));
}

/** A body whose joints tell nothing about its form. */
function massBox(body: number, radius: number, color: Color): Part {
  const edge = 5 * radius;
  return placed("box", body, new Matrix4(), new Vector3(), new Vector3(edge, edge, edge), color, "shape");
}

function distinct(points: Vector3[], tolerance: number): Vector3[] {
  const kept: Vector3[] = [];
  for (const point of points) if (!kept.some((other) => other.distanceTo(point) < 0.5 * tolerance)) kept.push(point);
  return kept;
}
