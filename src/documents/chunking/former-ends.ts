/** UTF-16 units before an end that identify it: longer than most phrases that a text repeats. */
const CHARACTERS = 64

/**
 * The places at which the former version of a text was cut. If the new version is cut at the same places, its chunks
 * after an edit are those of the former version, and their vectors can be used again.
 */
export class FormerEnds {
  readonly #hashes = new Set<number>()

  /** @param chunk the text of a chunk of the former version */
  add(chunk: string): void {
    const hash = hashBefore(chunk, chunk.length)
    if (hash !== undefined) this.#hashes.add(hash)
  }

  /** True if a chunk of the former version ended with the text before this offset. */
  has(text: string, end: number): boolean {
    const hash = hashBefore(text, end)
    return hash !== undefined && this.#hashes.has(hash)
  }
}

/** FNV-1a. Two different texts with the same hash cost one worse cut. */
function hashBefore(text: string, end: number): number | undefined {
  if (end < CHARACTERS) return undefined
  let hash = 0x81_1c_9d_c5
  for (let offset = end - CHARACTERS; offset < end; offset += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(offset), 0x01_00_01_93)
  }
  return hash
}
