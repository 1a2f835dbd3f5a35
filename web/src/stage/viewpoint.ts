import { Box3, PerspectiveCamera, Vector3 } from "three";
import type { Viewed } from "./bounds.ts";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export type Preset = "front" | "side" | "top" | "iso";
export const presets: Preset[] = ["front", "side", "top", "iso"];

const filled = 0.86; // of the height and width of the view, by what moves

/** The camera: orbit, zoom and pan by mouse or touch, standard views, and following a body. */
export class Viewpoint {
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  private readonly front: Vector3;
  private readonly right: Vector3;
  private readonly bounds: Box3;
  private readonly outline: Vector3[];
  private readonly size: number;
  private followed: Vector3 | undefined;

  constructor(
    canvas: HTMLElement,
    private readonly up: Vector3,
    { box, outline }: Viewed,
    private readonly normal: Vector3 | undefined,
    private readonly redraw: () => void,
  ) {
    this.bounds = box;
    this.outline = outline.length ? outline : corners(box);
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.copy(up);
    this.front = (normal && levelOf(normal, up)) ?? frontOf(box, up);
    this.right = new Vector3().crossVectors(up, this.front).normalize();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.zoomSpeed = 2; // from a whole chain to one of its links in a few turns of the wheel
    this.size = box.getSize(new Vector3()).length();
    this.controls.addEventListener("change", () => this.changed());
    this.controls.maxDistance = this.size * 12;
    this.controls.minDistance = this.size * 0.0005;
    this.open();
  }

  /** As the page opens: what moves in a plane nearly at right angles to it, else what is flat nearly from the front, the rest from a corner. */
  open(): void {
    if (this.normal) return this.look(this.nearly(this.normal));
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

  /** A little beside and above the axis, so that one sees what lies before what. */
  private nearly(axis: Vector3): Vector3 {
    const from = axis.clone().multiplyScalar(axis.dot(this.up) < -0.5 ? -1 : 1);
    const upright = Math.abs(from.dot(this.up)) > 0.9;
    const above = upright ? this.front : this.up;
    const tilt = above.clone().addScaledVector(from, -above.dot(from)).normalize();
    const side = new Vector3().crossVectors(from, tilt);
    return from.addScaledVector(side, upright ? 0 : 0.12).addScaledVector(tilt, 0.14).normalize();
  }

  /** From that direction, as near as everything that moves stays in view. */
  private look(direction: Vector3): void {
    const side = new Vector3().crossVectors(this.up, direction).normalize();
    const above = new Vector3().crossVectors(direction, side);
    const high = filled * Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    const across = fitted(this.outline, side, direction, wide);
    const along = fitted(this.outline, above, direction, high);
    const middle = this.bounds.getCenter(new Vector3()).dot(direction);
    const depth = Math.max(across.depth, along.depth, middle + 1e-3 * this.size);
    this.controls.target.set(0, 0, 0).addScaledVector(side, across.middle).addScaledVector(above, along.middle).addScaledVector(direction, middle);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, depth - middle);
    this.controls.update();
    this.changed();
    if (this.followed) this.follow(this.followed);
    this.redraw();
  }
}

/** Where the eye must be, across and back along the direction, for all points to lie within the slope of its view. */
function fitted(points: Vector3[], across: Vector3, direction: Vector3, slope: number): { middle: number; depth: number } {
  let [left, right] = [-Infinity, -Infinity];
  for (const point of points) {
    const [place, back] = [point.dot(across), slope * point.dot(direction)];
    right = Math.max(right, back + place);
    left = Math.max(left, back - place);
  }
  return { middle: (right - left) / 2, depth: (right + left) / (2 * slope) };
}

/** The level part of a direction; none, where it stands upright. */
function levelOf(of: Vector3, up: Vector3): Vector3 | undefined {
  const level = of.clone().addScaledVector(up, -of.dot(up));
  return level.length() > 0.1 ? level.normalize() : undefined;
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
