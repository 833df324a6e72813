export const round = (n: number) => Math.round(n);

export function clamp(n: number, least = 0) {
  return Math.max(least, round(n));
}
