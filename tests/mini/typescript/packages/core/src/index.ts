export * from "./model";
export { Store as Shelf } from "./store";
export * as math from "./math";
export { default as logger } from "./log";
