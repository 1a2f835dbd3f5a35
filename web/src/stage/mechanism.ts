import { Color, Group, MeshStandardMaterial } from "three";
import type { SceneData } from "../data/format.ts";
import type { Motion } from "../data/motion.ts";
import type { Run } from "../data/report.ts";
import { Deformation } from "./deformation.ts";
import type { Dimensions } from "./dimensions.ts";
import { Instances } from "./instances.ts";
import { ghostLook } from "./looks.ts";
import { poseMatrix } from "./matrices.ts";
import { Meshes } from "./meshes.ts";
import type { Part } from "./parts.ts";
import { drawBodies, type Drawing } from "./shapes.ts";
import { jointSymbols } from "./symbols.ts";

/** What a ghost looks like: another run, seen through. */
export interface Ghost {
  color: Color;
}

/** One run's mechanism in space. */
export class Mechanism {
  readonly group = new Group();
  readonly poses: Float32Array;
  readonly drawing: Drawing;
  readonly parts: Part[];
  private readonly matrices: Float32Array;
  private symbols = true;
  private buried = false;
  private readonly instances: Instances;
  private readonly meshes: Meshes;
  private readonly deformation: Deformation;
  private readonly motion: Motion | undefined;

  constructor(scene: SceneData, run: Run, private readonly dimensions: Dimensions, ghost?: Ghost) {
    this.motion = run.hasPoses ? run.motion() : undefined;
    const drawing = drawBodies(scene, dimensions);
    const symbols = ghost ? [] : jointSymbols(scene, dimensions);
    this.drawing = drawing;
    this.parts = ghost ? drawing.parts.filter((part) => part.body >= 0) : [...drawing.parts, ...symbols];
    const material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.12 });
    if (ghost) Object.assign(material, ghostLook);
    this.instances = new Instances(this.parts, material, ghost?.color);
    this.meshes = new Meshes(drawing.meshes, ghost?.color);
    this.deformation = new Deformation(run, ghost ? [] : drawing.bars, this.instances, this.meshes);
    this.group.add(this.instances.group, this.meshes.group);
    this.poses = new Float32Array(scene.bodies.length * 7);
    for (let body = 0; body < scene.bodies.length; ++body) this.poses[body * 7 + 3] = 1;
    this.matrices = new Float32Array((scene.bodies.length + 1) * 16);
    for (let i = 0; i < 16; i += 5) this.matrices[i] = 1; // ground stands still
    if (partsAreFew(this.parts.length)) {
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

  setThinnest(radius: number): void {
    this.instances.setThinnest(radius);
    this.buried = radius > 2.5 * this.dimensions.radius;
    this.showSymbols(this.symbols);
  }

  /** Symbols of joints that lie inside thickened bars are not drawn in vain. */
  showSymbols(visible: boolean): void {
    this.symbols = visible;
    this.instances.show("joint", visible && !this.buried);
    this.instances.show("support", visible);
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
