const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const SPACE = 0x20

/** Hash of a term's UTF-8 bytes, 32 bits (FNV-1a). */
export function hashOf(bytes: Uint8Array): number {
  let hash = OFFSET
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME)
  return hash >>> 0
}

/** Goes through the terms of a chunk, which are joined by one space: where each begins and ends, and its hash. */
export function forEachTerm(
  bytes: Uint8Array,
  from: number,
  to: number,
  take: (hash: number, start: number, end: number) => void,
): void {
  let hash = OFFSET
  let start = from
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === SPACE) {
      take(hash >>> 0, start, at)
      hash = OFFSET
      start = at + 1
    } else {
      hash = Math.imul(hash ^ byte, PRIME)
    }
  }
  if (to > from) take(hash >>> 0, start, to)
}
