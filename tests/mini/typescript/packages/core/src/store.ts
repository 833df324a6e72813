import logger from "./log";
import { Order } from "./model";

export class Store<T extends Order = Order> {
  private orders: T[] = [];

  async load(): Promise<T[]> {
    logger.write("load");
    return this.orders;
  }

  save(order: T) {
    this.orders.push(order);
    return order.total;
  }
}
