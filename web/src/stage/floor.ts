import { Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3 } from "three";

const vertexShader = `
varying vec2 place;
void main() {
  place = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines stay about a pixel wide at any distance, and fade out before they crowd into noise.
const fragmentShader = `
varying vec2 place;
uniform float spacing;
uniform float reach;
uniform vec3 color;
uniform float strength;
float lines(float step) {
  vec2 coordinate = place / step;
  vec2 width = fwidth(coordinate);
  vec2 distance = abs(fract(coordinate - 0.5) - 0.5) / max(width, 1e-6);
  float crowd = 1.0 - smoothstep(0.25, 0.9, max(width.x, width.y));
  return (1.0 - min(min(distance.x, distance.y), 1.0)) * crowd;
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / reach);
  float alpha = max(lines(spacing) * 0.45, lines(spacing * 5.0)) * fade * strength;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(color, alpha);
}`;

/** A grid below everything that moves, and the shadow on it. */
export class Floor {
  readonly group = new Group();
  readonly spacing: number;
  private readonly grid: ShaderMaterial;
  private readonly shade: ShadowMaterial;

  constructor(centre: Vector3, up: Vector3, size: number) {
    this.spacing = niceStep(size / 12);
    const reach = size * 2.2;
    this.grid = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: { spacing: { value: this.spacing }, reach: { value: reach }, color: { value: new Color() }, strength: { value: 1 } },
    });
    this.shade = new ShadowMaterial({ opacity: 0.16, depthWrite: false });
    const plane = new PlaneGeometry(2 * reach, 2 * reach);
    const grid = new Mesh(plane, this.grid);
    const shade = new Mesh(plane, this.shade);
    shade.receiveShadow = true;
    shade.renderOrder = -2;
    grid.renderOrder = -1;
    this.group.add(shade, grid);
    this.group.position.copy(centre);
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up));
  }

  colors(isDark: boolean): void {
    (this.grid.uniforms.color.value as Color).set(isDark ? "#8fa3bd" : "#5b6b80");
    this.grid.uniforms.strength.value = isDark ? 0.42 : 0.5;
    this.shade.opacity = isDark ? 0.4 : 0.15;
  }
}

/** 1, 2 or 5 times a power of ten. */
export function niceStep(wish: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wish, 1e-12)));
  const lead = wish / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}
