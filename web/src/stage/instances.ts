import {
  BoxGeometry,
  type BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  type Material,
  type Matrix4,
  SphereGeometry,
  TorusGeometry,
  type Vector3,
} from "three";
import { multiplyInto } from "./matrices.ts";
import type { Part, Role, Solid } from "./parts.ts";

/** Detail falls as the number grows, so that a thousand bodies still play smoothly. */
function unitSolid(solid: Solid, count: number): BufferGeometry {
  const round = count > 2000 ? 8 : count > 300 ? 12 : 28;
  switch (solid) {
    case "cylinder":
      return new CylinderGeometry(1, 1, 1, round).rotateX(Math.PI / 2);
    case "sphere":
      return new SphereGeometry(1, round, Math.max(4, round >> 1));
    case "box":
      return new BoxGeometry(1, 1, 1);
    case "ring":
      return new TorusGeometry(1, 0.28, 8, round);
    case "cone": // its tip towards −z, where the joint is
      return new ConeGeometry(1, 1, round).rotateX(-Math.PI / 2);
  }
}

/** Parts of one solid and one role, drawn by one call. */
class Batch {
  readonly mesh: InstancedMesh;
  private readonly local: Float32Array;
  private thinnest = 0;

  constructor(
    readonly role: Role,
    solid: Solid,
    readonly parts: Part[],
    material: Material,
    tint: Color | undefined,
  ) {
    this.mesh = new InstancedMesh(unitSolid(solid, parts.length), material, parts.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false; // the instances' places change all the time; a bound would have to follow
    this.local = new Float32Array(parts.length * 16);
    parts.forEach((part, i) => {
      part.local.toArray(this.local, i * 16);
      this.mesh.setColorAt(i, tint ?? part.color);
    });
  }

  replace(index: number, local: Matrix4): void {
    local.toArray(this.local, index * 16);
    this.thicken(index);
  }

  /** Bars get at least this radius. */
  setThinnest(radius: number): void {
    if (radius === this.thinnest) return;
    this.thinnest = radius;
    this.parts.forEach((part, i) => {
      if (part.radius !== undefined || part.anchor) this.replace(i, part.local);
    });
  }

  /** Stretches rods across, balls all round and supports about their joint. */
  private thicken(index: number): void {
    const { radius, solid, anchor } = this.parts[index];
    if (anchor) return this.grow(index, anchor.point, Math.max(1, this.thinnest / anchor.unit));
    if (radius === undefined || radius >= this.thinnest || radius === 0) return;
    const columns = solid === "sphere" ? 12 : 8;
    for (let i = 0; i < columns; ++i) this.local[index * 16 + i] *= this.thinnest / radius;
  }

  private grow(index: number, about: Vector3, factor: number): void {
    const at = index * 16;
    for (let i = 0; i < 12; ++i) this.local[at + i] *= factor;
    this.local[at + 12] = about.x + factor * (this.local[at + 12] - about.x);
    this.local[at + 13] = about.y + factor * (this.local[at + 13] - about.y);
    this.local[at + 14] = about.z + factor * (this.local[at + 14] - about.z);
  }

  update(bodies: Float32Array): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    this.parts.forEach((part, i) => multiplyInto(bodies, (part.body + 1) * 16, this.local, i * 16, out, i * 16));
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** All parts of a mechanism, sorted into as few draw calls as there are solids. */
export class Instances {
  readonly group = new Group();
  private readonly batches: Batch[] = [];
  private readonly places: [Batch, number][] = [];

  constructor(parts: Part[], material: Material, tint?: Color) {
    const sorted = new Map<string, number[]>();
    parts.forEach((part, i) => {
      const key = `${part.role} ${part.solid}`;
      const indices = sorted.get(key);
      if (indices) indices.push(i);
      else sorted.set(key, [i]);
    });
    for (const indices of sorted.values()) {
      const { role, solid } = parts[indices[0]];
      const batch = new Batch(role, solid, indices.map((i) => parts[i]), material, tint);
      indices.forEach((part, i) => (this.places[part] = [batch, i]));
      this.batches.push(batch);
      this.group.add(batch.mesh);
    }
  }

  /** Bodies: one 4×4 matrix each, ground first. */
  update(bodies: Float32Array): void {
    for (const batch of this.batches) batch.update(bodies);
  }

  replace(part: number, local: Matrix4): void {
    const [batch, index] = this.places[part];
    batch.replace(index, local);
  }

  setThinnest(radius: number): void {
    for (const batch of this.batches) batch.setThinnest(radius);
  }

  show(role: Role, visible: boolean): void {
    for (const batch of this.batches) if (batch.role === role) batch.mesh.visible = visible;
  }

  shadows(cast: boolean): void {
    for (const batch of this.batches) batch.mesh.castShadow = batch.mesh.receiveShadow = cast;
  }

  /** The body a hit of a ray belongs to. */
  bodyOf(mesh: object, instance: number): number | undefined {
    return this.batches.find((batch) => batch.mesh === mesh)?.parts[instance]?.body;
  }

  /** A ray finds only what lies in this bound, and it is kept from the last time it was asked for. */
  refreshBounds(): void {
    for (const batch of this.batches) batch.mesh.computeBoundingSphere();
  }
}
