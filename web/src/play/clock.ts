export const slowest = 0.1;
export const fastest = 10;

/** The time that is shown, and how it runs. All parts of the page listen to it and none keeps its own. */
export class Clock {
  playing = false;
  loop = true;
  private now: number;
  private rate = 1;
  private readonly timeListeners: ((time: number) => void)[] = [];
  private readonly stateListeners: (() => void)[] = [];

  constructor(
    readonly start: number,
    readonly end: number,
  ) {
    this.now = start;
  }

  get time(): number {
    return this.now;
  }

  get speed(): number {
    return this.rate;
  }

  set speed(value: number) {
    this.rate = Math.min(fastest, Math.max(slowest, value));
    this.tellState();
  }

  onTime(listener: (time: number) => void): void {
    this.timeListeners.push(listener);
  }

  onState(listener: () => void): void {
    this.stateListeners.push(listener);
  }

  play(): void {
    if (this.end <= this.start) return;
    if (this.now >= this.end) this.seek(this.start);
    this.playing = true;
    this.tellState();
  }

  pause(): void {
    this.playing = false;
    this.tellState();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tellState();
  }

  seek(time: number): void {
    this.now = Math.min(this.end, Math.max(this.start, time));
    for (const listener of this.timeListeners) listener(this.now);
  }

  /** Moves on by seconds of the viewer's time. */
  advance(seconds: number): void {
    if (!this.playing) return;
    const time = this.now + seconds * this.rate;
    if (time < this.end) return this.seek(time);
    if (this.loop) return this.seek(this.start + ((time - this.start) % (this.end - this.start)));
    this.seek(this.end);
    this.pause();
  }

  private tellState(): void {
    for (const listener of this.stateListeners) listener();
  }
}
