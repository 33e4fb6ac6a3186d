import { AlcoveApiError, type AlcoveClient, AlcoveClientError, dataOf } from '../../api/api.js'
import { Store } from '../../ui/store.js'

/** A file that the user gave. */
export interface GivenFile {
  readonly name: string
  /** The folders above it, such as `reports/2026`; undefined for a single file. */
  readonly folder?: string | undefined
  readonly size: number
  readonly read: () => Promise<Blob>
  /** The document that gets the file as its new version. Default: none. */
  readonly replaces?: number | undefined
  /** The failed document whose file it is. Default: none. */
  readonly retries?: number | undefined
}

/**
 * `queued`: waits for its turn. `away`: waits until the server answers. `sent`: received by the server, which processes
 * it from then on.
 */
type UploadPhase = 'queued' | 'sending' | 'away' | 'sent' | 'failed'

/** One file on its way to the server. */
export interface Upload extends GivenFile {
  readonly key: number
  readonly phase: UploadPhase
  /** 0 to 100. */
  readonly percent: number
  /** UUID of the document, once it is sent. */
  readonly uuid?: string
  /** Why it failed. */
  readonly error?: unknown
}

/** The file was changed, moved or deleted after the user chose it. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError'
}

const OPEN: ReadonlySet<UploadPhase> = new Set(['queued', 'sending', 'away'])
const UPLOADS_AT_ONCE = 3
/** Tries that follow by themselves when the server answers again. */
const MAX_TRIES = 5
const FIRST_PAUSE_MS = 500
/** Changes that come fast are shown together. */
const PUBLISH_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * The uploads of a context. They go on while the user looks at other pages of the console, also those of another account,
 * until the login ends.
 */
export class UploadQueue {
  readonly uploads: Store<readonly Upload[]> = new Store<readonly Upload[]>([])
  /** By key, the oldest first. */
  readonly #uploads = new Map<number, Upload>()
  readonly #running = new Map<number, AbortController>()
  readonly #tries = new Map<number, number>()
  #isAway = false
  #isOver = false
  #lastKey = 0
  #publishing: ReturnType<typeof setTimeout> | undefined

  /** @param settle called before a file is sent, which waits for its promise */
  constructor(
    private readonly api: AlcoveClient,
    private readonly contextId: number,
    private readonly settle: (file: GivenFile) => Promise<void>,
  ) {}

  /** Number of files that are neither sent nor failed. */
  get openCount(): number {
    return [...this.#uploads.values()].filter(({ phase }) => OPEN.has(phase)).length
  }

  /** Ends all uploads, and takes no more. */
  end(): void {
    this.#isOver = true
    this.remove(new Set(this.#uploads.keys()))
  }

  add(files: readonly GivenFile[]): void {
    if (this.#isOver) return
    for (const file of files) {
      this.#lastKey += 1
      this.#uploads.set(this.#lastKey, { ...file, key: this.#lastKey, phase: 'queued', percent: 0 })
    }
    this.#publish()
    this.#next()
  }

  /** Ends uploads, and takes them from the list. The server keeps the files that it has received. */
  remove(keys: ReadonlySet<number>): void {
    for (const key of keys) {
      this.#uploads.delete(key)
      this.#tries.delete(key)
      this.#running.get(key)?.abort(new Error('the upload is not needed any more'))
    }
    this.#publish()
    this.#next()
  }

  tryAgain(key: number): void {
    this.#tries.delete(key)
    this.#change(key, { phase: 'queued', percent: 0, error: undefined })
    this.#next()
  }

  #change(key: number, change: Partial<Upload>): void {
    const upload = this.#uploads.get(key)
    if (upload === undefined) return
    this.#uploads.set(key, { ...upload, ...change })
    this.#publishing ??= setTimeout(() => this.#publish(), PUBLISH_MS)
  }

  #publish(): void {
    clearTimeout(this.#publishing)
    this.#publishing = undefined
    this.uploads.set([...this.#uploads.values()])
  }

  #next(): void {
    const uploads = [...this.#uploads.values()]
    for (const upload of uploads) {
      if (this.#isAway || this.#running.size >= UPLOADS_AT_ONCE) break
      if (upload.phase === 'queued' && !this.#running.has(upload.key)) void this.#send(upload)
    }
    // The browser asks whether the user really wants to leave.
    if (this.openCount > 0) window.addEventListener('beforeunload', this.#keepPage)
    else window.removeEventListener('beforeunload', this.#keepPage)
  }

  // Each queue has its own: the end of one must not let the browser forget another one.
  readonly #keepPage = (event: BeforeUnloadEvent): void => event.preventDefault()

  async #send(upload: Upload): Promise<void> {
    const { key, name, folder, read, replaces } = upload
    const running = new AbortController()
    this.#running.set(key, running)
    this.#change(key, { phase: 'sending', percent: 0 })
    const options = {
      signal: running.signal,
      onProgress: ({ percent = 0 }) => this.#change(key, { percent }),
    }
    try {
      await this.settle(upload)
      running.signal.throwIfAborted()
      const content = await read()
      running.signal.throwIfAborted()
      const file = { fileName: name, content, ...(folder !== undefined && { metadata: { folder } }) }
      try {
        const uuid =
          replaces === undefined
            ? await this.api.upload(this.contextId, file, options)
            : await this.api.replace(this.contextId, replaces, file, options)
        this.#change(key, { phase: 'sent', percent: 100, uuid })
      } catch (error) {
        await requireReadable(content)
        throw error
      }
    } catch (error) {
      if (!running.signal.aborted) this.#fail(key, error)
    } finally {
      this.#running.delete(key)
      this.#next()
    }
  }

  #fail(key: number, error: unknown): void {
    const tries = (this.#tries.get(key) ?? 0) + 1
    this.#tries.set(key, tries)
    const isBusy = error instanceof AlcoveApiError && error.status === 429
    if (tries > MAX_TRIES || !(isAway(error) || isBusy)) {
      this.#change(key, { phase: 'failed', error })
      return
    }
    // The same bytes under the same name are the same document, so it does no harm to send a file twice.
    this.#change(key, { phase: 'away', percent: 0 })
    if (!this.#isAway) void this.#waitForServer(isBusy ? error.retryAfterSeconds : undefined)
  }

  async #waitForServer(seconds = 0): Promise<void> {
    this.#isAway = true
    await pause(seconds * 1_000)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
      await pause(pauseMs)
      // Without uploads that wait, as after the end of the login, nothing is asked.
      if (this.#waitingKeys().length === 0 || (await this.#answers())) break
    }
    this.#isAway = false
    for (const key of this.#waitingKeys()) this.#change(key, { phase: 'queued' })
    this.#next()
  }

  #waitingKeys(): readonly number[] {
    return [...this.#uploads.values()].filter(({ phase }) => phase === 'away').map(({ key }) => key)
  }

  /** A refusal is an answer too: the upload then says why. */
  async #answers(): Promise<boolean> {
    const params = { path: { contextId: this.contextId } }
    try {
      await dataOf(this.api.GET('/context/{contextId}', { params }))
      return true
    } catch (error) {
      return !isAway(error)
    }
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof AlcoveApiError) return [502, 503, 504].includes(error.status)
  return error instanceof AlcoveClientError && error.code === 'ERR_UNREACHABLE'
}

/** A browser tells a file that is gone as a lost connection. */
async function requireReadable(content: Blob): Promise<void> {
  try {
    await content.slice(0, 1).arrayBuffer()
  } catch (error) {
    throw new FileGoneError('the file cannot be read any more', { cause: error })
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
