import { DataDirLockedError, type Engine } from '../../../src/index.js'

interface OnDemandOptions {
  readonly open: () => Promise<Engine>
  /** The time without a call after which the engine is closed. Infinity: it stays open. */
  readonly idleMs: number
  /** The longest wait for another process that works on the folder. Nobody waits for a server. */
  readonly waitMs: number
}

const RETRY_MS = 200

/**
 * Opens an engine for the calls that need it, and closes it when none has needed it for some time. Other processes can
 * work on the folder then.
 */
export class EngineOnDemand {
  #opened: Promise<Engine> | undefined
  #closing: Promise<void> = Promise.resolve()
  #calls = 0
  #isEnded = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly options: OnDemandOptions) {}

  /** @throws DataDirLockedError if another process works on the folder for too long; the errors of the opening */
  async use<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    this.#calls += 1
    clearTimeout(this.#timer)
    try {
      return await work(await this.#get())
    } finally {
      this.#calls -= 1
      if (this.#calls === 0 && !this.#isEnded && this.options.idleMs !== Infinity) {
        this.#timer = setTimeout(() => void this.#release(), this.options.idleMs)
      }
    }
  }

  /** Closes the engine, and aborts its calls. */
  async close(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.#release()
  }

  async #get(): Promise<Engine> {
    this.#opened ??= this.#open()
    return await this.#opened
  }

  async #open(): Promise<Engine> {
    try {
      await this.#closing
      return await this.#openUnlocked()
    } catch (error) {
      // The next call opens it again.
      this.#opened = undefined
      throw error
    }
  }

  async #openUnlocked(): Promise<Engine> {
    const endsAt = performance.now() + this.options.waitMs
    for (;;) {
      try {
        return await this.options.open()
      } catch (error) {
        if (!(error instanceof DataDirLockedError) || this.#isEnded || performance.now() > endsAt) throw error
        // A server keeps the folder until it ends.
        if (error.holder?.address !== undefined) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #release(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    if (opened !== undefined) this.#closing = closeQuietly(opened)
    await this.#closing
  }
}

/** Nobody waits for an engine that did not open or close: the next opening tells what is wrong. */
async function closeQuietly(opened: Promise<Engine>): Promise<void> {
  try {
    await (await opened).close()
  } catch {
    // See above.
  }
}
