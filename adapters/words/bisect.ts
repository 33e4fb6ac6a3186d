/**
 * Finds the first index, from `from` to `end` (exclusive), that is not below the target; `end` if all are below.
 * Indexes below the target must come first.
 */
export function bisect(from: number, end: number, isBelow: (index: number) => boolean): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBelow(middle)) low = middle + 1
    else high = middle
  }
  return low
}
