/** What a plot needs of the page around it. */
export interface PlotHost {
  start: number;
  end: number;
  zoom: [number, number] | undefined;
  time(): number;
  seek(time: number): void;
  /** The pointer is over that time; none: it left. */
  hover(time: number | undefined): void;
  zoomed(from: number, to: number): void;
  eventTimes(): number[];
  /** Axes to the right of the plot that has most of them; the others leave as much room. */
  rightAxes(): number;
}

export interface Plot {
  moveTo(time: number): void;
  resize(width: number, height: number): void;
  /** The room beside it has changed. */
  relayout(): void;
  zoomTo(from: number, to: number): void;
  destroy(): void;
}
