import type { Repositories, Storage, TransactionOptions } from '../../../src/ports/index.js'

/** Observes a call of a repository, such as `deliveries.endAttempts`; it may throw instead, or return another value. */
export type Hook = (call: string, go: () => unknown) => unknown

export type Moment = 'before-commit' | 'after-commit'

/** A storage whose calls a test observes, and may change. */
export class HookedStorage implements Storage {
  readonly #inner: Storage
  readonly #hook: Hook
  /** Called with the calls of each transaction, before its commit and after it. */
  readonly #around: (calls: readonly string[], moment: Moment) => void

  constructor(
    inner: Storage,
    hook: Hook,
    around: (calls: readonly string[], moment: Moment) => void = () => undefined,
  ) {
    this.#inner = inner
    this.#hook = hook
    this.#around = around
  }

  async verify(options: Parameters<Storage['verify']>[0]): Promise<readonly string[]> {
    return await this.#inner.verify(options)
  }

  async open(): Promise<void> {
    await this.#inner.open()
  }

  async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.#inner.read(async (repositories) => await work(this.#hooked(repositories, [])))
  }

  async transaction<T>(work: (repositories: Repositories) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const calls: string[] = []
    const result = await this.#inner.transaction(async (repositories) => {
      calls.length = 0
      const done = await work(this.#hooked(repositories, calls))
      this.#around(calls, 'before-commit')
      return done
    }, options)
    this.#around(calls, 'after-commit')
    return result
  }

  async join<T>(transaction: unknown, work: (repositories: Repositories) => Promise<T>, ended: () => void): Promise<T> {
    return await this.#inner.join(transaction, work, ended)
  }

  watchJobs(heard: (kind: string) => void): () => Promise<void> {
    return this.#inner.watchJobs(heard)
  }

  async close(): Promise<void> {
    await this.#inner.close()
  }

  #hooked(repositories: Repositories, calls: string[]): Repositories {
    const entries = Object.entries(repositories as unknown as Record<string, object>).map(([name, repository]) => {
      const hooked = new Proxy(repository, {
        get: (target, method) => {
          const member: unknown = Reflect.get(target, method)
          if (typeof member !== 'function') return member
          return (...args: readonly unknown[]) => {
            const call = `${name}.${String(method)}`
            calls.push(call)
            return this.#hook(call, () => member.apply(target, args) as unknown)
          }
        },
      })
      return [name, hooked]
    })
    return Object.fromEntries(entries) as Repositories
  }
}
