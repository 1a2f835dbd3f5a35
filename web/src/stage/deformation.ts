import { Matrix4, Vector3 } from "three";
import { decodeFloats } from "../data/columns.ts";
import type { NodesData } from "../data/format.ts";
import { locate } from "../data/motion.ts";
import type { Run } from "../data/report.ts";
import type { Instances } from "./instances.ts";
import type { Meshes } from "./meshes.ts";
import { rodMatrix } from "./parts.ts";
import type { BarParts } from "./shapes.ts";

interface Deforming {
  nodes: ArrayLike<number>; // [sample][vertex][3]
  width: number;
  current: Float32Array;
  apply: (positions: Float32Array) => void;
}

/** Moves the vertices of shapes that deform, bars and meshes. */
export class Deformation {
  private readonly shapes: Deforming[] = [];

  constructor(
    private readonly run: Run,
    bars: BarParts[],
    instances: Instances,
    meshes: Meshes,
  ) {
    for (const data of run.data.nodes ?? []) {
      const bar = bars.find((other) => other.body === data.body && other.index === data.shape);
      const apply = bar ? (positions: Float32Array) => bend(bar, positions, instances) : meshes.deformable(data.body, data.shape);
      if (apply) this.add(data, apply);
    }
  }

  moveTo(time: number): void {
    const [sample, part] = locate(this.run.times, time);
    for (const { nodes, width, current, apply } of this.shapes) {
      const last = Math.floor(nodes.length / width) - 1;
      const from = Math.min(sample, last) * width;
      const to = Math.min(sample + 1, last) * width;
      for (let i = 0; i < width; ++i) current[i] = nodes[from + i] + part * (nodes[to + i] - nodes[from + i]);
      apply(current);
    }
  }

  private add(data: NodesData, apply: (positions: Float32Array) => void): void {
    const nodes = decodeFloats(data.positions);
    const width = nodes.length / Math.max(1, this.run.times.length);
    if (width >= 3 && Number.isInteger(width)) this.shapes.push({ nodes, width, current: new Float32Array(width), apply });
  }
}

const matrix = new Matrix4();

function bend(bar: BarParts, positions: Float32Array, instances: Instances): void {
  const count = bar.shape.points.length;
  const point = (i: number) => new Vector3().fromArray(positions, 3 * i);
  for (let i = 0; i + 1 < count; ++i) instances.replace(bar.first + i, rodMatrix(point(i), point(i + 1), bar.shape.radius, matrix));
  for (let i = 0; i < count; ++i) {
    const { radius } = bar.shape;
    instances.replace(bar.first + count - 1 + i, matrix.makeScale(radius, radius, radius).setPosition(point(i)));
  }
}
