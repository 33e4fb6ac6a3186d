import type { ChunkKey } from '../ports/index.js'
import { BestWindows, nameOf } from './best-windows.js'

/** How near chunks are, as far as one search knows. */
export class KnownChunks {
  readonly near: BestWindows = new BestWindows()
  /** Chunks without vectors: whether their vectors are still to be computed. */
  readonly #waiting = new Map<string, boolean>()

  /** Whether the vector index need not be asked. */
  has(key: ChunkKey): boolean {
    return this.near.get(key) !== undefined || this.#waiting.has(nameOf(key))
  }

  isWaiting(key: ChunkKey): boolean {
    return this.near.get(key) === undefined && this.#waiting.get(nameOf(key)) === true
  }

  setWaiting(key: ChunkKey, isWaiting: boolean): void {
    this.#waiting.set(nameOf(key), isWaiting)
  }
}
