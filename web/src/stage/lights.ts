import { type Box3, type Camera, DirectionalLight, Group, HemisphereLight, Vector3 } from "three";

/** Daylight from above, a main light that casts shadows, and a weaker one from behind to set edges off. */
export class Lights {
  readonly group = new Group();
  private readonly sky = new HemisphereLight("#ffffff", "#aab4c2", 1.5);
  private readonly main = new DirectionalLight("#fff6ea", 2.4);
  private readonly head = new DirectionalLight("#ffffff", 0.7);
  private readonly back = new DirectionalLight("#cfe0ff", 0.9);

  constructor(bounds: Box3, up: Vector3) {
    const centre = bounds.getCenter(new Vector3());
    const size = bounds.getSize(new Vector3()).length();
    const side = Math.abs(up.x) < 0.7 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    const across = new Vector3().crossVectors(side, up).normalize();
    this.sky.position.copy(up);
    this.main.position.copy(centre).addScaledVector(up, 1.5 * size).addScaledVector(across, 0.55 * size).addScaledVector(side, -0.35 * size);
    this.back.position.copy(centre).addScaledVector(up, 0.3 * size).addScaledVector(across, -size).addScaledVector(side, 0.8 * size);
    this.main.target.position.copy(centre);
    this.back.target.position.copy(centre);
    this.setUpShadow(size);
    this.group.add(this.sky, this.main, this.main.target, this.back, this.back.target);
  }

  colors(isDark: boolean): void {
    this.sky.intensity = isDark ? 1.6 : 1.7;
    this.main.intensity = isDark ? 1.7 : 1.9;
  }

  /** A weak light that comes from where one looks: no side stays black. */
  attachTo(camera: Camera): void {
    this.head.target.position.set(0, 0, -1);
    this.head.position.set(0, 0, 0);
    camera.add(this.head, this.head.target);
  }

  castShadows(cast: boolean): void {
    this.main.castShadow = cast;
  }

  private setUpShadow(size: number): void {
    const { shadow } = this.main;
    this.main.castShadow = true;
    shadow.mapSize.set(1024, 1024);
    Object.assign(shadow.camera, { left: -0.75 * size, right: 0.75 * size, top: 0.75 * size, bottom: -0.75 * size });
    Object.assign(shadow.camera, { near: 0.1 * size, far: 3.5 * size });
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0004;
    shadow.normalBias = 0.002 * size;
    shadow.radius = 4;
  }
}
