export interface Article {
  name: string;
  cents: number;
}

export function priceOf(cents: number) {
  return (cents / 100).toFixed(2);
}
