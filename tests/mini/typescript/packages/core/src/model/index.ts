export * from "./item";
export * from "./order";
export type { Priced } from "./priced";
