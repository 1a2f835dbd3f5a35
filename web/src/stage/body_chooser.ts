import { element } from "../page/dom.ts";
import type { Stage } from "./stage.ts";

const mostOffered = 40; // names in the list below the field; typing narrows it

/** Chooses a body by name, to follow it with the camera or to draw its path. */
export class BodyChooser {
  readonly root: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly offers = element("datalist", { id: "body-names" });
  private readonly followButton = this.button("follow", "The camera goes along with the body", () => this.toggle("follow"));
  private readonly pathButton = this.button("path", "Draw the path of the body's origin", () => this.toggle("path"));
  private readonly on = { follow: false, path: false };

  constructor(
    private readonly names: string[],
    private readonly stage: Stage,
  ) {
    this.field = element("input", {
      class: "body-field",
      list: "body-names",
      placeholder: "body",
      "aria-label": "Body to follow or trace",
      title: "A body's name; a double click on a body follows it",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.field.addEventListener("input", () => {
      this.offer();
      this.apply();
    });
    this.field.addEventListener("focus", () => this.offer());
    this.root = element("div", { class: "chooser" }, this.field, this.offers, this.followButton, this.pathButton);
    this.apply();
  }

  /** Follows that body; a second time sets the camera free. */
  follow(body: number): void {
    const same = this.on.follow && this.field.value === this.names[body];
    this.field.value = this.names[body];
    this.on.follow = !same;
    this.apply();
  }

  private button(label: string, title: string, press: () => void): HTMLButtonElement {
    return element("button", { type: "button", class: "text-button", "aria-pressed": "false", title, click: press }, label);
  }

  private toggle(what: "follow" | "path"): void {
    if (this.chosen < 0) this.field.value = this.names[this.names.length - 1];
    this.on[what] = !this.on[what];
    this.apply();
  }

  private get chosen(): number {
    return this.names.indexOf(this.field.value.trim());
  }

  private offer(): void {
    const typed = this.field.value.trim().toLowerCase();
    const fitting = this.names.filter((name) => name.toLowerCase().includes(typed)).slice(0, mostOffered);
    this.offers.replaceChildren(...fitting.map((name) => element("option", { value: name })));
  }

  private apply(): void {
    const body = this.chosen;
    this.followButton.setAttribute("aria-pressed", String(this.on.follow && body >= 0));
    this.pathButton.setAttribute("aria-pressed", String(this.on.path && body >= 0));
    this.stage.follow(this.on.follow ? body : -1);
    this.stage.showTrace(this.on.path ? body : -1);
  }
}
