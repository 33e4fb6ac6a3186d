/** The first number from `low` on of which something is false, `high` where it is true of all; true ones come first. */
export function firstFalse(low: number, high: number, isTrue: (number: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isTrue(middle)) from = middle + 1
    else to = middle
  }
  return from
}
