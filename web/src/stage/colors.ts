import { Color } from "three";

// Few bodies: colours that are told apart easily. Many: one sweep of hue along the model's order.
const few = ["#3f7fd4", "#e0873a", "#3fa584", "#c9536b", "#8a6fd0", "#b79a36", "#3a9fb8", "#c46aa8"];
const sweep = ["#3b5bdb", "#2f8fd0", "#27a6a0", "#5fae5b", "#d2a33a", "#e0763c", "#cc4f6f"];

// What the program gives bodies whose model names no colour: `body_color` in src/sarrus/io/picture/bodies.cpp.
const programColors = ["#1f6f8b", "#d1603d", "#6a994e", "#8e5572", "#c9a227", "#4f6d9a", "#7a6c5d", "#3d9a8b"];

export const steel = new Color("#d3d9e0");
export const dark = new Color("#5b6675");
export const support = new Color("#a3adba");

export function bodyColor(index: number, count: number): Color {
  if (count <= few.length) return new Color(few[index % few.length]);
  const place = (index / Math.max(1, count - 1)) * (sweep.length - 1);
  const left = Math.min(Math.floor(place), sweep.length - 2);
  return new Color(sweep[left]).lerp(new Color(sweep[left + 1]), place - left);
}

/** A shape's own colour. The program's choice goes round; for many bodies that would be stripes, and hues take its place. */
export function shapeColor(given: string | undefined, body: number, bodies: number): Color {
  const striped = bodies > programColors.length && given === programColors[body % programColors.length];
  return given && !striped ? new Color(given) : bodyColor(body, bodies);
}

/** Colours of lines in plots, and of runs in comparisons; readable on light and on dark. */
export const lineColors = ["#2f7ed8", "#e07b29", "#2a9d78", "#cf4a62", "#8464cf", "#a98a1f", "#1f9bb5", "#bf5ba0", "#6b7785"];

export function lineColor(index: number): string {
  return lineColors[index % lineColors.length];
}
