/** A vector that a document computes; `undefined` if its computation was aborted. */
type PendingVector = Promise<Float32Array | undefined>

interface Entry {
  readonly pending: PendingVector
  readonly settle: (vector: Float32Array | undefined) => void
}

/**
 * The vectors that documents of this process compute, or have computed but not written yet. If several documents with
 * the same text are processed at the same time, only one of them embeds it.
 */
export class PendingVectors {
  readonly #entries = new Map<string, Entry>()

  /**
   * Claims the keys that no document has claimed.
   * @returns the claimed keys, which the caller must settle and release; and the pending vectors of the others
   */
  claim(keys: Iterable<string>): {
    readonly mine: readonly string[]
    readonly others: ReadonlyMap<string, PendingVector>
  } {
    const mine: string[] = []
    const others = new Map<string, PendingVector>()
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry === undefined) {
        this.#entries.set(key, newEntry())
        mine.push(key)
      } else {
        others.set(key, entry.pending)
      }
    }
    return { mine, others }
  }

  /** Gives the vector to the documents that wait for it, now or until {@link release}. */
  settle(key: string, vector: Float32Array): void {
    this.#entries.get(key)?.settle(vector)
  }

  /** Call this once the index has the vector, or its computation was aborted. */
  release(key: string): void {
    this.#entries.get(key)?.settle(undefined)
    this.#entries.delete(key)
  }
}

function newEntry(): Entry {
  let settle: Entry['settle'] = () => undefined
  const pending = new Promise<Float32Array | undefined>((resolve) => {
    settle = resolve
  })
  return { pending, settle }
}
