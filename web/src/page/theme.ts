type Theme = "auto" | "light" | "dark";

/** Light or dark: as the system says, until the viewer says otherwise. */
export class ThemeSwitch {
  private theme: Theme = "auto";
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners: ((isDark: boolean) => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
  }

  get isDark(): boolean {
    return this.theme === "auto" ? this.system.matches : this.theme === "dark";
  }

  onChange(listener: (isDark: boolean) => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.theme = this.isDark ? "light" : "dark";
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    for (const listener of this.listeners) listener(this.isDark);
  }
}
