import { Order, Shelf } from "@mini/core";
import { Item } from "@core/model/item";

export function Price({ item }: { item: Item }) {
  return <b>{item.price()}</b>;
}

export function App({ shelf }: { shelf: Shelf }) {
  const order = new Order().add(Item.free("pen"));
  shelf.save(order);
  return <Price item={order.find("pen")!} />;
}
