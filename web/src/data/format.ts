// The data of a report, format 1, as the program writes them. README.md describes every field.

export type Vector = [number, number, number];
/** w first, from the body (or joint) frame to the frame it sits in. */
export type Quaternion = [number, number, number, number];

/** Little-endian numbers in base64; one of the three is there. */
export interface Column {
  f64?: string;
  f32?: string;
  u32?: string;
}

export interface Frame {
  position: Vector;
  quaternion: Quaternion;
}

export interface BarShape {
  kind: "bar";
  points: Vector[];
  radius: number;
  color?: string;
}

export interface SolidShape {
  kind: "box" | "sphere" | "cylinder" | "capsule";
  position?: Vector;
  quaternion?: Quaternion;
  size: number[];
  color?: string;
}

export interface MeshShape {
  kind: "mesh";
  vertices: Column;
  triangles: Column;
  position?: Vector;
  quaternion?: Quaternion;
  color?: string;
}

export type Shape = BarShape | SolidShape | MeshShape;

export type JointType =
  | "revolute"
  | "prismatic"
  | "helical"
  | "cylindrical"
  | "universal"
  | "spherical"
  | "planar"
  | "free"
  | "fixed";

export interface Joint {
  name: string;
  type: JointType;
  /** Index of a body; −1 is ground. */
  parent: number;
  child: number;
  on_parent: Frame;
  on_child: Frame;
}

export interface Body {
  name: string;
  shapes?: Shape[];
}

export interface SceneData {
  bodies: Body[];
  ground?: { shapes?: Shape[] };
  joints?: Joint[];
  gravity?: Vector;
  up?: Vector;
}

export interface SeriesData {
  group: string;
  element: string;
  name: string;
  unit: string;
  values: Column;
}

/** Places of a shape's vertices (or a bar's points) at every sample, in the body frame. */
export interface NodesData {
  body: number;
  shape: number;
  positions: Column;
}

export interface EventData {
  time: number;
  text: string;
}

export interface RunData {
  name: string;
  summary?: Record<string, unknown>;
  times: Column;
  poses?: Column | "";
  nodes?: NodesData[];
  series?: SeriesData[];
  /** Groups of series that the program left out, to keep the report of a large mechanism small. */
  left_out?: string[];
  events?: EventData[];
}

export interface TableData {
  columns: { name: string; unit?: string }[];
  rows: (string | number | boolean | null)[][];
  left_out?: { method: string; reason: string }[];
}

export interface ReportData {
  format: number;
  title: string;
  description?: string;
  program?: string;
  kind: "run" | "comparison";
  scene: SceneData;
  thinned?: number;
  table?: TableData;
  runs: RunData[];
}
