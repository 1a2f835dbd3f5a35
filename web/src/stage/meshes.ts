import { BufferAttribute, BufferGeometry, type Color, DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial } from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { decodeFloats, decodeIndices } from "../data/columns.ts";
import { ghostLook } from "./looks.ts";
import { multiplyInto } from "./matrices.ts";
import { frameMatrix } from "./parts.ts";
import type { MeshPart } from "./shapes.ts";

const creaseAngle = Math.PI / 5;
const mostCreased = 200_000; // triangles; beyond that edges are not worth the wait

/** Shapes with vertices of their own: one object each. */
export class Meshes {
  readonly group = new Group();
  private readonly meshes: Mesh<BufferGeometry>[];
  private readonly local: Float32Array[];
  private readonly world = new Float32Array(16);

  constructor(
    private readonly parts: MeshPart[],
    tint: Color | undefined,
  ) {
    this.meshes = parts.map((part) => makeMesh(part, tint));
    this.local = parts.map((part) => new Float32Array(frameMatrix(part.shape).elements));
    for (const mesh of this.meshes) this.group.add(mesh);
  }

  update(bodies: Float32Array): void {
    this.parts.forEach((part, i) => {
      multiplyInto(bodies, (part.body + 1) * 16, this.local[i], 0, this.world, 0);
      this.meshes[i].matrix.fromArray(this.world);
      this.meshes[i].matrixWorldNeedsUpdate = true;
    });
  }

  /** Takes the mesh for deforming: its vertices stay those of the data, and lie in the body frame from now on. */
  deformable(body: number, index: number): ((positions: Float32Array) => void) | undefined {
    const at = this.parts.findIndex((part) => part.body === body && part.index === index);
    if (at < 0) return undefined;
    const geometry = plainGeometry(this.parts[at]);
    this.meshes[at].geometry.dispose();
    this.meshes[at].geometry = geometry;
    this.meshes[at].frustumCulled = false;
    this.local[at] = new Float32Array(new Matrix4().elements);
    return (positions) => {
      const attribute = geometry.getAttribute("position") as BufferAttribute;
      attribute.array.set(positions.subarray(0, attribute.array.length));
      attribute.needsUpdate = true;
      geometry.computeVertexNormals();
    };
  }

  bodyOf(mesh: object): number | undefined {
    return this.parts[this.meshes.findIndex((other) => other === mesh)]?.body;
  }

  shadows(cast: boolean): void {
    for (const mesh of this.meshes) mesh.castShadow = mesh.receiveShadow = cast;
  }
}

function plainGeometry(part: MeshPart): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(decodeFloats(part.shape.vertices)), 3));
  geometry.setIndex(new BufferAttribute(decodeIndices(part.shape.triangles), 1));
  geometry.computeVertexNormals();
  return geometry;
}

function makeMesh(part: MeshPart, tint: Color | undefined): Mesh<BufferGeometry> {
  const plain = plainGeometry(part);
  const geometry = (plain.index?.count ?? 0) / 3 < mostCreased ? toCreasedNormals(plain, creaseAngle) : plain;
  // The winding of foreign meshes cannot be relied on, so both sides are drawn.
  const material = new MeshStandardMaterial({ color: tint ?? part.color, roughness: 0.5, metalness: 0.12, side: DoubleSide });
  if (tint) Object.assign(material, ghostLook);
  const mesh = new Mesh(geometry, material);
  mesh.matrixAutoUpdate = false;
  return mesh;
}
