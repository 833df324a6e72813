import { type Article, priceOf } from "./article";
import { Cart } from "./cart";

export function Total({ cart }: { cart: Cart }) {
  return <b>{priceOf(cart.total())}</b>;
}

export function Checkout({ articles }: { articles: Article[] }) {
  const cart = new Cart();
  articles.forEach(article => cart.put(article));
  return <Total cart={cart} />;
}
