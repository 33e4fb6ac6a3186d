interface PendingRequest<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

/** A thread or a process. */
interface Place {
  /** Keeps the host's thread alive. */
  ref(): void
  unref(): void
}

/** The requests to a thread that wait for their answers. Only they keep the host's process alive. */
export class PendingRequests<Result> {
  readonly #pending = new Map<number, PendingRequest<Result>>()
  #lastId = 0

  /** @param cancel tells the thread that nobody waits for a request any more */
  constructor(
    private readonly place: Place,
    private readonly cancel: (id: number) => void,
  ) {}

  get size(): number {
    return this.#pending.size
  }

  /** Posts a request with an id of its own, and waits for its answer, or until the signal is aborted. */
  async add(post: (id: number) => void, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    const abort = (): void => {
      this.reject(id, signal?.reason as Error)
      this.cancel(id)
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject })
        this.place.ref()
        post(id)
      })
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Does nothing if nobody waits any more, like {@link reject}. */
  resolve(id: number, result: Result): void {
    this.#take(id)?.resolve(result)
  }

  reject(id: number, error: Error): void {
    this.#take(id)?.reject(error)
  }

  rejectAll(error: Error): void {
    for (const id of [...this.#pending.keys()]) this.reject(id, error)
  }

  #take(id: number): PendingRequest<Result> | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.place.unref()
    return pending
  }
}
