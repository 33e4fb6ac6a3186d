import type { AlcoveClient, DocumentState } from '../../api/api.js'
import { isRefusal } from '../../api/refusals.js'
import { Store } from '../../ui/store.js'

/** The states that the stream has told since it began. */
interface Watched {
  readonly byId: ReadonlyMap<number, DocumentState>
  readonly byUuid: ReadonlyMap<string, DocumentState>
  /** False while no stream comes: the page then asks for the documents again and again. */
  readonly isLive: boolean
  /** Number of connections until now. After another one, changes may have been missed. */
  readonly connections: number
}

const NOTHING: Watched = { byId: new Map(), byUuid: new Map(), isLive: true, connections: 0 }
/** Many states that come at once are shown at once. */
const FLUSH_MS = 150
const PAUSE_MS = 30_000
/** A browser has few connections to a server, and a hidden page needs none. */
const HIDDEN_MS = 10_000

/** Follows the states of the documents of a context, as long as somebody looks at them. */
export class DocumentWatch {
  readonly watched: Store<Watched> = new Store(NOTHING, (isFollowed) => this.#follow(isFollowed))
  readonly #byId = new Map<number, DocumentState>()
  readonly #byUuid = new Map<string, DocumentState>()
  #running: AbortController | undefined
  #isFollowed = false
  #isOver = false
  #connections = 0
  #isLive = true
  #flush: ReturnType<typeof setTimeout> | undefined
  #hide: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly api: AlcoveClient,
    private readonly contextId: number,
  ) {}

  /** Ends the stream for good. */
  end(): void {
    this.#isOver = true
    this.#stop()
    this.#forget({ isLive: true })
  }

  #follow(isFollowed: boolean): void {
    this.#isFollowed = isFollowed
    if (isFollowed) {
      document.addEventListener('visibilitychange', this.#onVisibility)
      this.#start()
    } else {
      document.removeEventListener('visibilitychange', this.#onVisibility)
      // React may follow again at once.
      setTimeout(() => {
        if (!this.#isFollowed) this.#stop()
      })
    }
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hide)
    if (document.visibilityState === 'hidden') this.#hide = setTimeout(() => this.#stop(), HIDDEN_MS)
    else this.#start()
  }

  #start(): void {
    if (this.#running !== undefined || this.#isOver) return
    this.#running = new AbortController()
    void this.#run(this.#running.signal)
  }

  #stop(): void {
    clearTimeout(this.#hide)
    this.#running?.abort(new Error('nobody follows the documents any more'))
    this.#running = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const isRefused = await this.#read(signal)
      if (signal.aborted) return
      this.#forget({ isLive: false })
      if (isRefused) return
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  /** @returns true if the user may not see the documents any more */
  async #read(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    const onReady = (): void => {
      this.#connections += 1
      // States of an earlier connection may be too old. The list is read again instead.
      if (this.#connections > 1) this.#forget({ isLive: true })
      else this.#publish()
    }
    try {
      for await (const state of this.api.watch(this.contextId, { snapshot: 'unfinished', signal, onReady })) {
        this.#byId.set(state.id, state)
        this.#byUuid.set(state.uuid, state)
        this.#flush ??= setTimeout(() => this.#publish(), FLUSH_MS)
      }
      return false
    } catch (error) {
      return isRefusal(error)
    }
  }

  #forget({ isLive }: { readonly isLive: boolean }): void {
    this.#byId.clear()
    this.#byUuid.clear()
    this.#isLive = isLive
    this.#publish()
  }

  #publish(): void {
    clearTimeout(this.#flush)
    this.#flush = undefined
    this.watched.set({
      byId: this.#byId,
      byUuid: this.#byUuid,
      isLive: this.#isLive,
      connections: this.#connections,
    })
  }
}

const FIRST_POLL_MS = 3_000
const LONGEST_POLL_MS = 15_000

/** The pause before another question for what may have changed. @param polls questions until now */
export function pollMs(polls: number): number {
  return Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * 1.2 ** polls)
}
