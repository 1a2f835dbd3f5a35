const tooSlow = 70; // milliseconds a frame
const patience = 12; // frames in a row

/** Notices when drawing cannot keep up, and says so once. */
export class Pace {
  private last = -Infinity;
  private slow = 0;
  private told = false;

  drawn(tell: () => void): void {
    const now = performance.now();
    const wait = now - this.last;
    this.last = now;
    // A long wait is a pause, not a slow frame.
    this.slow = wait > tooSlow && wait < 3000 ? this.slow + 1 : 0;
    if (this.told || this.slow < patience) return;
    this.told = true;
    tell();
  }
}
