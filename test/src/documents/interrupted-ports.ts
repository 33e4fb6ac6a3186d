import { MemoryFileStore, MemoryStorage } from '../../../adapters/memory/index.js'
import type { Repositories } from '../../../src/ports/index.js'

const READS_CHUNKS = new Error('reads chunks')

/** A storage and a file store that run a task once, right before the first read of chunks or of a file. */
export class InterruptedPorts {
  readonly storage: MemoryStorage
  readonly fileStore: MemoryFileStore
  #task: (() => Promise<void>) | undefined

  constructor() {
    const isWaiting = (): boolean => this.#task !== undefined
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

  /** False if a task still waits for its read. */
  get isDone(): boolean {
    return this.#task === undefined
  }

  beforeNextRead(task: () => Promise<void>): void {
    this.#task = task
  }

  async #interrupt(): Promise<void> {
    const task = this.#task
    this.#task = undefined
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
