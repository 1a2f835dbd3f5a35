import { type Camera, Vector3 } from "three";
import type { SceneData } from "../data/format.ts";
import { element } from "../page/dom.ts";
import type { Dimensions } from "./dimensions.ts";
import { frameMatrix, vector } from "./parts.ts";

/** With more bodies their names would hide them. */
export const mostNamed = 60;

interface Named {
  label: HTMLElement;
  body: number;
  /** In the frame of the body. */
  point: Vector3;
}

/** Names of bodies and joints, written over the animation where they are. */
export class Names {
  readonly root = element("div", { class: "names", "aria-hidden": "true" });
  private readonly named: Named[] = [];

  constructor(scene: SceneData, dimensions: Dimensions) {
    scene.bodies.forEach((body, i) => this.add(body.name, "body", i, middleOf(dimensions.points[i])));
    for (const joint of scene.joints ?? [])
      if (joint.child >= 0) this.add(joint.name, "joint", joint.child, vector(joint.on_child.position));
      else this.add(joint.name, "joint", joint.parent, vector(joint.on_parent.position));
  }

  /** Poses: px py pz qw qx qy qz of every body. */
  place(poses: Float32Array, camera: Camera, width: number, height: number): void {
    const place = new Vector3();
    for (const { label, body, point } of this.named) {
      place.copy(point);
      if (body >= 0) {
        const p = poses.subarray(body * 7, body * 7 + 7);
        place.applyMatrix4(frameMatrix({ position: [p[0], p[1], p[2]], quaternion: [p[3], p[4], p[5], p[6]] }));
      }
      place.project(camera);
      const seen = Number.isFinite(place.x + place.y) && place.z < 1;
      label.style.display = seen ? "" : "none";
      if (seen) label.style.transform = `translate(${(0.5 + 0.5 * place.x) * width}px, ${(0.5 - 0.5 * place.y) * height}px)`;
    }
  }

  private add(name: string, kind: string, body: number, point: Vector3): void {
    const label = element("span", { class: kind }, element("b", {}, name));
    this.root.append(label);
    this.named.push({ label, body, point });
  }
}

/** Between a body's joints; at its origin, where it has fewer than two. */
function middleOf(points: Vector3[]): Vector3 {
  const middle = new Vector3();
  if (points.length < 2) return points.length ? middle.copy(points[0]).multiplyScalar(0.5) : middle;
  for (const point of points) middle.add(point);
  return middle.divideScalar(points.length);
}
