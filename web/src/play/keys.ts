import type { Clock } from "./clock.ts";

/** Keys that work anywhere on the page but in fields and dialogs. */
export function listenToKeys(clock: Clock, sampleTime: number, fit: () => void): void {
  const faster = 10 ** 0.1;
  const actions: Record<string, () => void> = {
    " ": () => clock.toggle(),
    ArrowRight: () => clock.seek(clock.time + sampleTime),
    ArrowLeft: () => clock.seek(clock.time - sampleTime),
    Home: () => clock.seek(clock.start),
    End: () => clock.seek(clock.end),
    "+": () => (clock.speed *= faster),
    "-": () => (clock.speed /= faster),
    l: () => clock.setLoop(!clock.loop),
    f: fit,
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest("dialog, select, input:not([type=range])")) return;
    if (event.key === " " && target.closest("button, summary")) return; // there it presses what has the focus
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
