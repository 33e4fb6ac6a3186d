import type { ChildProcess } from 'node:child_process'
import type {
  VectorCollection,
  VectorHit,
  VectorIndex,
  VectorKey,
  VectorRows,
  VectorSearchOptions,
} from '../../dist/src/ports/index.js'

/** One call, and its answer. */
interface Call {
  readonly call: number
  readonly method: Exclude<keyof VectorIndex, 'close'>
  readonly args: readonly unknown[]
}
interface Answer {
  readonly call: number
  readonly value?: unknown
  readonly error?: string
}

/** The vectors of a process's parent, as a database would have them for several processes. */
export class ParentVectorIndex implements VectorIndex {
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #calls = 0

  constructor() {
    process.on('message', (answer: Answer) => {
      this.#waiting.get(answer.call)?.(answer)
      this.#waiting.delete(answer.call)
    })
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    await this.#ask('add', collection, rows)
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    return (await this.#ask('search', collection, query, options)) as readonly VectorHit[]
  }

  async read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    return (await this.#ask('read', collection, keys)) as readonly (Float32Array | undefined)[]
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#ask('deleteDocument', name, documentId, fromChunk)
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    return (await this.#ask('countByDocument', name)) as ReadonlyMap<number, number>
  }

  async listCollections(): Promise<readonly string[]> {
    return (await this.#ask('listCollections')) as readonly string[]
  }

  async drop(name: string): Promise<void> {
    await this.#ask('drop', name)
  }

  async close(): Promise<void> {
    await Promise.resolve()
  }

  async #ask(method: Call['method'], ...args: readonly unknown[]): Promise<unknown> {
    this.#calls += 1
    const call = this.#calls
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(call, resolve))
    process.send?.({ call, method, args } satisfies Call)
    const { value, error } = await answered
    if (error !== undefined) throw new Error(error)
    return value
  }
}

/** Answers the calls of a child process from an index. */
export function serveVectors(child: ChildProcess, index: VectorIndex): void {
  child.on('message', (message: Partial<Call>) => {
    const { call, method, args = [] } = message
    if (call === undefined || method === undefined) return
    const work = index[method].bind(index) as (...all: readonly unknown[]) => Promise<unknown>
    work(...args).then(
      (value) => answer(child, { call, value }),
      (error: unknown) => answer(child, { call, error: String(error) }),
    )
  })
}

/** It may have been killed meanwhile. */
function answer(child: ChildProcess, message: Answer): void {
  if (child.connected) child.send(message, () => undefined)
}
