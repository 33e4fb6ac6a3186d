/** Slots are a power of two, at most so full. */
const MOST_FILLED = 0.6
const FIRST_SLOTS = 256

/**
 * In how many chunks terms are, by the hash of the term: 12 bytes a slot. Of two terms with the same 32 bits, one in
 * 16,000 where there are 262,144, the chunks are added up.
 */
export class TermCounts {
  #hashes = new Uint32Array(FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  /** Which chunk was the last to have the term: it counts once. */
  #lastChunk = new Uint32Array(FIRST_SLOTS)
  #size = 0
  #chunk = 0

  /** How many terms there are. */
  get size(): number {
    return this.#size
  }

  /** Memory that they take, in bytes. */
  get bytes(): number {
    return this.#hashes.byteLength * 3
  }

  get(hash: number): number {
    return this.#counts[this.#slotOf(hash)] ?? 0
  }

  /** The terms that are counted from now on are of another chunk. */
  nextChunk(): void {
    this.#chunk = (this.#chunk + 1) >>> 0
    if (this.#chunk !== 0) return
    this.#lastChunk.fill(0)
    this.#chunk = 1
  }

  /** @param weight how many chunks this one stands for */
  countInChunk(hash: number, weight: number): void {
    const slot = this.#slotOf(hash)
    if (this.#counts[slot] === 0) {
      this.#insert(slot, hash, weight)
    } else if (this.#lastChunk[slot] !== this.#chunk) {
      this.#counts[slot] = (this.#counts[slot] ?? 0) + weight
      this.#lastChunk[slot] = this.#chunk
    }
  }

  /** Puts a count in, of a term that has none. */
  set(hash: number, count: number): void {
    this.#insert(this.#slotOf(hash), hash, count)
  }

  /** Forgets the terms of the fewest chunks, until so many are left at most. @returns the most chunks that a forgotten one had */
  prune(size: number): number {
    const kept = this.#counts.filter((count) => count > 0).sort()
    const most = kept[kept.length - size - 1] ?? 0
    const [hashes, counts] = [this.#hashes, this.#counts]
    this.#clear(this.#hashes.length)
    for (const [slot, count] of counts.entries()) if (count > most) this.set(hashes[slot] ?? 0, count)
    return most
  }

  /** Hashes and counts, in turn. */
  toArray(): Uint32Array {
    const pairs = new Uint32Array(this.#size * 2)
    let at = 0
    for (const [slot, count] of this.#counts.entries()) {
      if (count === 0) continue
      pairs[at] = this.#hashes[slot] ?? 0
      pairs[at + 1] = count
      at += 2
    }
    return pairs
  }

  static from(pairs: Uint32Array): TermCounts {
    const made = new TermCounts()
    for (let at = 0; at < pairs.length; at += 2) made.set(pairs[at] ?? 0, pairs[at + 1] ?? 0)
    return made
  }

  /** Where the term is, or would be. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1
    // FNV mixes the low bits least.
    let slot = (hash ^ (hash >>> 15)) & mask
    while (this.#counts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }

  #insert(slot: number, hash: number, count: number): void {
    this.#hashes[slot] = hash
    this.#counts[slot] = count
    this.#lastChunk[slot] = this.#chunk
    this.#size += 1
    if (this.#size > this.#hashes.length * MOST_FILLED) this.#grow()
  }

  #grow(): void {
    const [hashes, counts, lastChunk] = [this.#hashes, this.#counts, this.#lastChunk]
    this.#clear(hashes.length * 2)
    for (const [from, count] of counts.entries()) {
      if (count === 0) continue
      const slot = this.#slotOf(hashes[from] ?? 0)
      this.#hashes[slot] = hashes[from] ?? 0
      this.#counts[slot] = count
      this.#lastChunk[slot] = lastChunk[from] ?? 0
      this.#size += 1
    }
  }

  #clear(slots: number): void {
    this.#hashes = new Uint32Array(slots)
    this.#counts = new Uint32Array(slots)
    this.#lastChunk = new Uint32Array(slots)
    this.#size = 0
  }
}
