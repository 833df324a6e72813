import { Shelf, logger, math } from "@mini/core";
import { clamp } from "@mini/core/math";
import { App } from "./app";
import { route } from "./routes.js";

export async function main() {
  const shelf = new Shelf();
  const orders = await shelf.load();
  orders.forEach(order => logger.write(String(order.total)));
  route("/", () => App({ shelf }));
  return math.round(clamp(1));
}

main();
