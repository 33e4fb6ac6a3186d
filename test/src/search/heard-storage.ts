import { AsyncLocalStorage } from 'node:async_hooks'
import { MemoryStorage } from '../../../adapters/memory/index.js'

/** Calls back in each read of a search. The workers of the engine read too, whenever they poll. */
export class HeardStorage extends MemoryStorage {
  /** True within the search. */
  readonly heard: AsyncLocalStorage<boolean> = new AsyncLocalStorage<boolean>()
  reads = 0
  onRead: () => void = () => undefined
  beforeRead: () => Promise<unknown> = async () => undefined

  override async read<T>(work: Parameters<typeof MemoryStorage.prototype.read<T>>[0]): Promise<T> {
    if (this.heard.getStore() === true) {
      this.reads += 1
      this.onRead()
      await this.beforeRead()
    }
    return await super.read(work)
  }
}
