import { AsyncLocalStorage } from 'node:async_hooks'
import { MemoryFileStore, MemoryStorage } from '../../../adapters/memory/index.js'
import type { Repositories } from '../../../src/ports/index.js'

const READS_CHUNKS = new Error('reads chunks')

/**
 * A storage and a file store that run a task once, right before a call first reads chunks or a file. The workers of the
 * engine read too, whenever they poll.
 */
export class InterruptedPorts {
  readonly storage: MemoryStorage
  readonly fileStore: MemoryFileStore
  readonly #call = new AsyncLocalStorage<{ task: (() => Promise<void>) | undefined }>()

  constructor() {
    const isWaiting = (): boolean => this.#call.getStore()?.task !== undefined
    const interrupt = async (): Promise<void> => await this.#interrupt()
    this.storage = new (class extends MemoryStorage {
      override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
        if (!isWaiting()) return await super.read(work)
        try {
          return await super.read(async (repositories) => await work(withoutChunks(repositories)))
        } catch (error) {
          if (error !== READS_CHUNKS) throw error
          await interrupt()
          return await super.read(work)
        }
      }
    })()
    this.fileStore = new (class extends MemoryFileStore {
      override async *read(key: string): AsyncGenerator<Uint8Array> {
        await interrupt()
        yield* super.read(key)
      }
    })()
  }

  /** Makes a call, and runs a task before its first read of chunks or of a file. @throws if the call has no such read */
  async interrupt<Result>(task: () => Promise<void>, call: () => Promise<Result>): Promise<Result> {
    const waiting: { task: (() => Promise<void>) | undefined } = { task }
    try {
      return await this.#call.run(waiting, call)
    } finally {
      if (waiting.task !== undefined) throw new Error('nothing was read')
    }
  }

  async #interrupt(): Promise<void> {
    const waiting = this.#call.getStore()
    const task = waiting?.task
    if (waiting !== undefined) waiting.task = undefined
    await task?.()
  }
}

function withoutChunks(repositories: Repositories): Repositories {
  const chunks = {
    get: () => {
      throw READS_CHUNKS
    },
  }
  return Object.create(repositories, { chunks }) as Repositories
}
