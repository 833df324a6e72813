export interface Priced {
  price(): number;
}

export type Maybe<T> = T | undefined;
