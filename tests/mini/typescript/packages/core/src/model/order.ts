import { Item } from "./item";
import { Status } from "./status";
import type { Maybe } from "./priced";

export class Order {
  items = new Map<string, Item>();
  status = Status.Open;

  add(item: Item) {
    this.items.set(item.name, item);
    return this;
  }

  find(name: string): Maybe<Item> {
    return this.items.get(name);
  }

  get total() {
    let sum = 0;
    for (const [, item] of this.items) sum += item.price();
    return sum;
  }
}
