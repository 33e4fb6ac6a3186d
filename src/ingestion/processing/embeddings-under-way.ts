/** A vector that somebody computes; `undefined` where that came to nothing. */
type Coming = Promise<Float32Array | undefined>

interface Entry {
  readonly coming: Coming
  readonly settle: (vector: Float32Array | undefined) => void
}

/**
 * The vectors that documents have computed, or are computing, and not written yet: where several documents with the
 * same text are processed at a time, one of them embeds it.
 */
export class EmbeddingsUnderWay {
  readonly #entries = new Map<string, Entry>()

  /**
   * Takes those of the keys that nobody has.
   * @returns those taken, each to be settled and released; and what becomes of the others
   */
  claim(keys: Iterable<string>): { readonly mine: readonly string[]; readonly others: ReadonlyMap<string, Coming> } {
    const mine: string[] = []
    const others = new Map<string, Coming>()
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry === undefined) {
        this.#entries.set(key, newEntry())
        mine.push(key)
      } else {
        others.set(key, entry.coming)
      }
    }
    return { mine, others }
  }

  /** Gives a vector to whoever waits for it, now or until it is released. */
  settle(key: string, vector: Float32Array): void {
    this.#entries.get(key)?.settle(vector)
  }

  /** To be called once the vector can be found elsewhere, or will not come. */
  release(key: string): void {
    this.#entries.get(key)?.settle(undefined)
    this.#entries.delete(key)
  }
}

function newEntry(): Entry {
  let settle: Entry['settle'] = () => undefined
  const coming = new Promise<Float32Array | undefined>((resolve) => {
    settle = resolve
  })
  return { coming, settle }
}
