/** The first place, from one to another (not included), that is not below what is looked for; the end where all are. Those below come first. */
export function bisect(from: number, end: number, isBelow: (place: number) => boolean): number {
  let [low, high] = [from, end]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBelow(middle)) low = middle + 1
    else high = middle
  }
  return low
}
