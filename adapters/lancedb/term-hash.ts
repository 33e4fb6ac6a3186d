const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const SPACE = 0x20

/** Hash of a term's UTF-8 bytes, 32 bits (FNV-1a). */
export function hashOf(bytes: Uint8Array): number {
  let hash = OFFSET
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME)
  return hash >>> 0
}

/** Entries of a filter of hashes, a power of two. */
export const FILTER_SIZE = 4_096
/** Lets every hash pass. */
export const NO_FILTER: Uint8Array = new Uint8Array(FILTER_SIZE).fill(1)

/**
 * Goes through the terms of a chunk, which are joined by one space: where each begins and ends, and its hash.
 *
 * @param filter `filter[hash % FILTER_SIZE]` is 0 where no wanted term has such a hash
 * @returns how many terms there are
 */
export function forEachTerm(
  bytes: Uint8Array,
  from: number,
  to: number,
  filter: Uint8Array,
  take: (hash: number, start: number, end: number) => void,
): number {
  let terms = 0
  let hash = OFFSET
  let start = from
  for (let at = from; at <= to; at += 1) {
    const byte = at === to ? SPACE : (bytes[at] ?? 0)
    if (byte !== SPACE) {
      hash = Math.imul(hash ^ byte, PRIME)
      continue
    }
    if (from < to) {
      terms += 1
      if (filter[hash & (FILTER_SIZE - 1)] !== 0) take(hash >>> 0, start, at)
    }
    hash = OFFSET
    start = at + 1
  }
  return terms
}
