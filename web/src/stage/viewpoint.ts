import { Box3, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export type Preset = "front" | "side" | "top" | "iso";
export const presets: Preset[] = ["front", "side", "top", "iso"];

/** The camera: orbit, zoom and pan by mouse or touch, standard views, and following a body. */
export class Viewpoint {
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  private readonly front: Vector3;
  private readonly right: Vector3;
  private readonly bounds: Box3;
  private readonly size: number;
  private followed: Vector3 | undefined;

  constructor(
    canvas: HTMLElement,
    private readonly up: Vector3,
    bounds: Box3,
    private readonly redraw: () => void,
  ) {
    this.bounds = bounds;
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.copy(up);
    this.front = frontOf(bounds, up);
    this.right = new Vector3().crossVectors(up, this.front).normalize();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.zoomSpeed = 2; // from a whole chain to one of its links in a few turns of the wheel
    this.size = bounds.getSize(new Vector3()).length();
    this.controls.addEventListener("change", () => this.changed());
    this.controls.maxDistance = this.size * 12;
    this.controls.minDistance = this.size * 0.0005;
    this.open();
  }

  /** As the page opens: flat mechanisms nearly from the front, others from a corner. */
  open(): void {
    const size = this.bounds.getSize(new Vector3());
    const depth = Math.abs(size.dot(absolute(this.front)));
    const flat = depth < 0.2 * size.length();
    if (flat) this.look(this.direction(-0.38, 0.24));
    else this.preset("iso");
  }

  preset(name: Preset): void {
    if (name === "iso") this.look(this.direction(0.7, 0.5));
    if (name === "front") this.look(this.direction(0, 0));
    if (name === "side") this.look(this.direction(Math.PI / 2, 0));
    if (name === "top") this.look(this.direction(0, 1.5605));
  }

  fit(): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.look(direction);
  }

  /** About the upward axis, and up or down. */
  turn(yaw: number, pitch: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const side = new Vector3().crossVectors(this.up, offset).normalize();
    const above = Math.PI / 2 - offset.angleTo(this.up);
    const limited = Math.min(1.5, Math.max(-1.5, above + pitch)) - above;
    offset.applyAxisAngle(side, -limited).applyAxisAngle(this.up, yaw);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.changed();
  }

  resize(width: number, height: number): void {
    const old = this.camera.aspect;
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    if (old === 1) this.open();
    this.redraw();
  }

  /** From now on the camera goes along with the point. */
  follow(point: Vector3 | undefined): void {
    this.followed = point?.clone();
    this.controls.zoomToCursor = !point; // the body stays in the middle
    if (!point) return;
    const shift = point.clone().sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.redraw();
  }

  goAlong(point: Vector3): void {
    if (!this.followed) return;
    const shift = point.clone().sub(this.followed);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.followed.copy(point);
  }

  /** How much the view spans at the point it turns about. */
  viewedSize(): number {
    return 2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target);
  }

  /** Whether the camera is still gliding after a gesture. */
  update(): boolean {
    return this.controls.update();
  }

  /** Depth is told apart only within a ratio of near and far, so both go along with the distance. */
  private changed(): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = 0.02 * distance;
    this.camera.far = distance + 8 * this.size;
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  private direction(yaw: number, pitch: number): Vector3 {
    const level = this.front.clone().multiplyScalar(Math.cos(yaw)).addScaledVector(this.right, Math.sin(yaw));
    return level.multiplyScalar(Math.cos(pitch)).addScaledVector(this.up, Math.sin(pitch)).normalize();
  }

  /** From that direction, as near as everything that moves stays in view. */
  private look(direction: Vector3): void {
    const centre = this.bounds.getCenter(new Vector3());
    const side = new Vector3().crossVectors(this.up, direction).normalize();
    const above = new Vector3().crossVectors(direction, side);
    const high = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    let distance = 0;
    for (const corner of corners(this.bounds)) {
      corner.sub(centre);
      const needed = Math.max(Math.abs(corner.dot(side)) / wide, Math.abs(corner.dot(above)) / high);
      distance = Math.max(distance, needed + corner.dot(direction));
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance * 1.15);
    this.controls.update();
    this.changed();
    if (this.followed) this.follow(this.followed);
    this.redraw();
  }
}

function absolute(of: Vector3): Vector3 {
  return new Vector3(Math.abs(of.x), Math.abs(of.y), Math.abs(of.z));
}

/** Level, and across the mechanism's thinner side: where one sees most of it. */
function frontOf(bounds: Box3, up: Vector3): Vector3 {
  const size = bounds.getSize(new Vector3());
  const axes = [new Vector3(0, 0, 1), new Vector3(0, -1, 0), new Vector3(1, 0, 0)];
  const level = axes.filter((axis) => Math.abs(axis.dot(up)) < 0.7);
  level.sort((a, b) => Math.abs(size.dot(a)) - Math.abs(size.dot(b)));
  const front = level[0];
  return front.addScaledVector(up, -front.dot(up)).normalize();
}

function corners(box: Box3): Vector3[] {
  const list: Vector3[] = [];
  for (const x of [box.min.x, box.max.x])
    for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) list.push(new Vector3(x, y, z));
  return list;
}
