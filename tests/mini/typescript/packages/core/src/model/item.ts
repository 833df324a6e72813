import { round } from "../math";
import type { Priced } from "./priced";

export class Item implements Priced {
  constructor(readonly name: string, private cents: number) {}

  price() {
    return round(this.cents);
  }

  static free(name: string) {
    return new Item(name, 0);
  }
}

export class Bundle extends Item {
  parts: Item[] = [];

  price() {
    return super.price() + this.parts.map(part => part.price()).length;
  }
}
