import { Color, Group, MeshStandardMaterial } from "three";
import type { SceneData } from "../data/format.ts";
import type { Motion } from "../data/motion.ts";
import type { Run } from "../data/report.ts";
import { Deformation } from "./deformation.ts";
import type { Dimensions } from "./dimensions.ts";
import { Instances } from "./instances.ts";
import { poseMatrix } from "./matrices.ts";
import { Meshes } from "./meshes.ts";
import { drawBodies } from "./shapes.ts";
import { jointSymbols } from "./symbols.ts";

/** What a ghost looks like: another run, seen through. */
export interface Ghost {
  color: Color;
}

/** One run's mechanism in space. */
export class Mechanism {
  readonly group = new Group();
  readonly poses: Float32Array;
  readonly partCount: number;
  private readonly matrices: Float32Array;
  private readonly instances: Instances;
  private readonly meshes: Meshes;
  private readonly deformation: Deformation;
  private readonly motion: Motion | undefined;

  constructor(scene: SceneData, run: Run, dimensions: Dimensions, ghost?: Ghost) {
    this.motion = run.hasPoses ? run.motion() : undefined;
    const drawing = drawBodies(scene, dimensions);
    const symbols = ghost ? [] : jointSymbols(scene, dimensions);
    const parts = ghost ? drawing.parts.filter((part) => part.body >= 0) : [...drawing.parts, ...symbols];
    const material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.12 });
    if (ghost) Object.assign(material, { transparent: true, opacity: 0.28, depthWrite: false });
    this.instances = new Instances(parts, material, ghost?.color);
    this.meshes = new Meshes(drawing.meshes, ghost?.color);
    this.deformation = new Deformation(run, ghost ? [] : drawing.bars, this.instances, this.meshes);
    this.partCount = parts.length;
    this.group.add(this.instances.group, this.meshes.group);
    this.poses = new Float32Array(scene.bodies.length * 7);
    for (let body = 0; body < scene.bodies.length; ++body) this.poses[body * 7 + 3] = 1;
    this.matrices = new Float32Array((scene.bodies.length + 1) * 16);
    for (let i = 0; i < 16; i += 5) this.matrices[i] = 1; // ground stands still
    if (partsAreFew(parts.length)) {
      this.instances.shadows(!ghost);
      this.meshes.shadows(!ghost);
    }
  }

  moveTo(time: number): void {
    this.motion?.at(time, this.poses);
    for (let body = 0; body * 7 < this.poses.length; ++body) poseMatrix(this.poses, body * 7, this.matrices, (body + 1) * 16);
    this.deformation.moveTo(time);
    this.instances.update(this.matrices);
    this.meshes.update(this.matrices);
  }

  showSymbols(visible: boolean): void {
    this.instances.show("symbol", visible);
  }

  bodyOf(mesh: object, instance: number | undefined): number | undefined {
    return instance === undefined ? this.meshes.bodyOf(mesh) : this.instances.bodyOf(mesh, instance);
  }

  prepareForRays(): void {
    this.instances.refreshBounds();
  }
}

function partsAreFew(count: number): boolean {
  return count < 4000;
}
