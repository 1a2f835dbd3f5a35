import { Box3, BufferAttribute, BufferGeometry, Color, Line, LineBasicMaterial, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import type { Report, Run } from "../data/report.ts";
import { viewedSpace } from "./bounds.ts";
import { lineColor } from "./colors.ts";
import { Compass } from "./compass.ts";
import { Dimensions, thinnest } from "./dimensions.ts";
import { Floor } from "./floor.ts";
import { Lights } from "./lights.ts";
import { Mechanism } from "./mechanism.ts";
import { Names } from "./names.ts";
import { Pace } from "./pace.ts";
import { vector } from "./parts.ts";
import { planeNormal } from "./planar.ts";
import { Viewpoint } from "./viewpoint.ts";

/** The animation. Draws only when something changed, so a paused page leaves the machine alone. */
export class Stage {
  /** Frames drawn so far. */
  frames = 0;
  readonly viewpoint: Viewpoint;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly dimensions: Dimensions;
  private readonly floor: Floor;
  private readonly lights: Lights;
  private readonly mechanisms = new Map<string, Mechanism>();
  private shown: Mechanism | undefined;
  private run: Run | undefined;
  private readonly compass: Compass;
  private names: Names | undefined;
  private ghosts = false;
  private symbols = true;
  private followed = -1;
  private trace: Line<BufferGeometry, LineBasicMaterial> | undefined;
  private traced = -1;
  private time = 0;
  private stale = true;
  private readonly raycaster = new Raycaster();
  private readonly pace = new Pace();
  private economical = false;
  private thinnestBar = 0;

  /** Throws where the browser offers no WebGL. */
  constructor(
    private readonly report: Report,
    private readonly host: HTMLElement,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.debug.checkShaderErrors = false; // asking would wait for each program in turn
    host.prepend(this.renderer.domElement);
    this.compass = new Compass(report.data.scene);
    host.append(this.compass.root);
    const first = report.runs.find((run) => run.hasPoses);
    const { scene } = report.data;
    this.dimensions = new Dimensions(scene, first?.motion());
    const up = vector(scene.up ?? [0, 0, 1]).normalize();
    const shown = this.mechanism(first ?? report.runs[0], false);
    const viewed = viewedSpace(shown.parts, shown.drawing.meshes, this.dimensions, first?.motion());
    const bounds = viewed.box;
    const size = bounds.getSize(new Vector3()).length();
    const bottom = bounds.getCenter(new Vector3());
    bottom.addScaledVector(up, lowest(bounds, up) - bottom.dot(up) - 0.04 * size);
    this.floor = new Floor(bottom, up, size);
    this.lights = new Lights(bounds, up);
    this.scene.add(this.floor.group, this.lights.group);
    this.viewpoint = new Viewpoint(this.renderer.domElement, up, viewed, planeNormal(scene, this.dimensions), () => this.viewChanged());
    this.lights.attachTo(this.viewpoint.camera);
    this.scene.add(this.viewpoint.camera);
    this.renderer.shadowMap.enabled = true;
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  get gridSpacing(): number {
    return this.floor.spacing;
  }

  show(run: Run): void {
    this.run = run;
    this.shown = this.mechanism(run, false);
    for (const mechanism of this.mechanisms.values()) mechanism.group.visible = mechanism === this.shown;
    if (this.ghosts) for (const other of this.report.runs) if (other !== run && other.hasPoses) this.mechanism(other, true).group.visible = true;
    this.shown.showSymbols(this.symbols);
    this.drawTrace();
    this.moveTo(this.time);
  }

  showGhosts(visible: boolean): void {
    this.ghosts = visible;
    if (this.run) this.show(this.run);
  }

  showSymbols(visible: boolean): void {
    this.symbols = visible;
    this.shown?.showSymbols(visible);
    this.stale = true;
  }

  /** Names of bodies and joints. */
  showNames(visible: boolean): void {
    this.names?.root.remove();
    this.names = visible ? new Names(this.report.data.scene, this.dimensions) : undefined;
    if (this.names) this.canvas.after(this.names.root);
    this.stale = true;
  }

  /** −1: nobody. */
  follow(body: number): void {
    this.followed = body;
    this.viewpoint.follow(body >= 0 ? this.origin(body) : undefined);
  }

  /** Draws the path of a body's origin over the whole run; −1: none. */
  showTrace(body: number): void {
    this.traced = body;
    this.drawTrace();
  }

  moveTo(time: number): void {
    this.time = time;
    for (const mechanism of this.mechanisms.values()) {
      if (!mechanism.group.visible) continue;
      mechanism.setThinnest(this.thinnestBar);
      mechanism.moveTo(time);
    }
    if (this.followed >= 0) this.viewpoint.goAlong(this.origin(this.followed));
    this.stale = true;
  }

  colors(isDark: boolean): void {
    this.floor.colors(isDark);
    this.lights.colors(isDark);
    this.stale = true;
  }

  /** Once for every frame of the browser. */
  frame(): void {
    this.viewpoint.update();
    if (!this.stale) return;
    this.stale = false;
    this.renderer.render(this.scene, this.viewpoint.camera);
    this.compass.turn(this.viewpoint.camera);
    if (this.names && this.shown) this.names.place(this.shown.poses, this.viewpoint.camera, this.host.clientWidth, this.host.clientHeight);
    ++this.frames;
    this.pace.drawn(() => this.economize());
  }

  /** The body under a place of the canvas, in pixels from its corner. */
  bodyAt(x: number, y: number): number | undefined {
    if (!this.shown) return undefined;
    const { clientWidth, clientHeight } = this.canvas;
    this.shown.prepareForRays();
    this.raycaster.setFromCamera(new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.viewpoint.camera);
    const hit = this.raycaster.intersectObject(this.shown.group, true).find((other) => other.object.visible);
    return hit && this.shown.bodyOf(hit.object, hit.instanceId);
  }

  private mechanism(run: Run, ghost: boolean): Mechanism {
    const key = `${run.index} ${ghost}`;
    let made = this.mechanisms.get(key);
    if (!made) {
      const look = ghost ? { color: new Color(lineColor(run.index)) } : undefined;
      made = new Mechanism(this.report.data.scene, run, this.dimensions, look);
      this.mechanisms.set(key, made);
      this.scene.add(made.group);
    }
    return made;
  }

  private origin(body: number): Vector3 {
    const poses = this.shown?.poses;
    return poses ? new Vector3(poses[body * 7], poses[body * 7 + 1], poses[body * 7 + 2]) : new Vector3();
  }

  private drawTrace(): void {
    if (this.trace) this.scene.remove(this.trace);
    this.trace?.geometry.dispose();
    this.trace?.material.dispose();
    this.trace = undefined;
    this.stale = true;
    if (this.traced < 0 || !this.run?.hasPoses) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.run.motion().path(this.traced), 3));
    this.trace = new Line(geometry, new LineBasicMaterial({ color: "#d4a12f", transparent: true, opacity: 0.9 }));
    this.scene.add(this.trace);
  }

  private viewChanged(): void {
    this.stale = true;
    if (!this.viewpoint) return; // still being made
    // In steps, so that bars are not reckoned anew at every turn of the wheel.
    const step = 1.15;
    const radius = step ** Math.round(Math.log(thinnest * this.viewpoint.viewedSize()) / Math.log(step));
    if (radius === this.thinnestBar) return;
    this.thinnestBar = radius;
    this.moveTo(this.time);
  }

  /** For machines that draw without a graphics card: no shadows, fewer pixels. */
  private economize(): void {
    this.economical = true;
    this.lights.castShadows(false);
    this.resize();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setPixelRatio(Math.min(this.economical ? 0.8 : 2, window.devicePixelRatio || 1));
    this.renderer.setSize(clientWidth, clientHeight);
    this.viewpoint.resize(clientWidth, clientHeight);
    this.frame(); // at once: setSize has cleared the picture
  }
}

function lowest(box: Box3, up: Vector3): number {
  const pick = (axis: "x" | "y" | "z") => Math.min(box.min[axis] * up[axis], box.max[axis] * up[axis]);
  return pick("x") + pick("y") + pick("z");
}
