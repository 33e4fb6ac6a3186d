import { setTimeout as pause } from 'node:timers/promises'
import { ModelError } from '../../../../src/index.js'
import {
  asError,
  itemsUntilAborted,
  type RetryOptions,
  retry,
  untilAborted,
  withAnySignal,
} from '../../../../src/ports/index.js'
import { cutOff, failureOf, type HubPlace, notTheHub, otherCommit, unreachable } from './hub-errors.js'
import { openNetworkFetch } from './hub-fetch.js'
import { GIT_HASH, type HubFile, toHubFile } from './hub-file.js'
import { type Fetch, type HubLibrary, type HubOptions, loadLibrary } from './hub-options.js'

/** Takes the bytes of a file. */
interface FileSink {
  /** Called when the answer begins. @param isWhole true if it begins at byte 0, because the server knows no ranges */
  begin(isWhole: boolean): void
  write(piece: Uint8Array): Promise<void>
}

/** Hosts answer with more only for collections of data, or by mistake. */
const MAX_FILES = 20_000
/** Requests of one question. A page of the hub's listing has 1,000 files. */
const MAX_PAGES = 200
/** Bytes of an answer in JSON. */
const MAX_JSON_BYTES = 50e6
/** The longest pause that a server may ask for while the command waits. */
const LONGEST_WISH_MS = 30_000
/** Time without any byte after which a connection counts as cut. */
const STALL_MS = 60_000

/** Reads one repository of the Hugging Face hub, or of a mirror, by its library. */
export class HubClient {
  private constructor(
    private readonly library: HubLibrary,
    private readonly place: HubPlace,
    private readonly options: HubOptions,
    private readonly network: Fetch,
  ) {}

  /**
   * @throws UnsupportedError if the package `@huggingface/hub` is not installed
   * @throws InvalidInputError for a proxy of the environment
   */
  static async open(options: HubOptions): Promise<HubClient> {
    const library = await loadLibrary()
    const { endpoint, repository, revision, token } = options
    const { fetch: network, ...proxy } = options.fetch
      ? { fetch: options.fetch, proxies: [], proxyAdvice: '' }
      : await openNetworkFetch(endpoint)
    const place = { endpoint, repository, revision, hasToken: token !== undefined, ...proxy }
    return new HubClient(library, place, options, network)
  }

  /** For messages. */
  get at(): HubPlace {
    return this.place
  }

  /** @returns the commit of the revision, as 40 hex digits @throws ModelError */
  async findCommit(): Promise<string> {
    const { repository, revision } = this.place
    const info = await this.#ask(
      async (fetch) =>
        await this.library.modelInfo({
          name: repository,
          revision,
          hubUrl: this.place.endpoint,
          additionalFields: ['sha'],
          fetch,
        }),
    )
    const sha = GIT_HASH.safeParse(info.sha)
    if (!sha.success) throw notTheHub(this.place)
    // A revision that is a commit is that commit, or the server is wrong.
    if (GIT_HASH.safeParse(revision).success && sha.data !== revision) throw otherCommit(sha.data, this.place)
    return sha.data
  }

  /** @returns the files of the repository at a commit that have a hash, by their paths @throws ModelError */
  async listFiles(commit: string): Promise<ReadonlyMap<string, HubFile>> {
    return await this.#ask(async (fetch) => {
      const files = new Map<string, HubFile>()
      let entries = 0
      const listing = this.library.listFiles({
        repo: { type: 'model', name: this.place.repository },
        revision: commit,
        recursive: true,
        hubUrl: this.place.endpoint,
        fetch,
      })
      for await (const entry of listing) {
        entries += 1
        if (entries > MAX_FILES) throw tooManyFiles(this.place)
        const file = toHubFile(entry)
        if (file !== undefined) files.set(file.path, file)
      }
      return files
    })
  }

  /**
   * Reads a file from a byte on, once.
   *
   * @throws ModelError; what `sink` throws
   */
  async read(commit: string, file: HubFile, from: number, sink: FileSink): Promise<void> {
    const stalled = new AbortController()
    const timer = setTimeout(() => stalled.abort(), STALL_MS)
    try {
      await withAnySignal([this.options.signal, stalled.signal], async (abort) => {
        const answer: { failure?: Error; isWhole: boolean } = { isWhole: true }
        const fetch = this.#checkedFetch(abort)
        const reader = await this.#openFile(commit, file, from, async (input, init) => {
          try {
            const response = await fetch(input, init)
            await this.#requireFile(response, file, from)
            answer.isWhole = response.status !== 206
            return response
          } catch (error) {
            // The library keeps the message alone.
            answer.failure = asError(error)
            throw error
          }
        })
        const next = async (): Promise<Uint8Array | undefined> => {
          // The library's stream may never end, for example after an answer without a body.
          const result = await untilAborted(reader.read(), abort).catch((error: unknown) => {
            this.options.signal?.throwIfAborted()
            throw answer.failure ?? cutOff(file.path, this.place, error)
          })
          timer.refresh()
          return result.value
        }
        try {
          let piece = await next()
          sink.begin(answer.isWhole)
          for (; piece !== undefined; piece = await next()) await sink.write(piece)
        } finally {
          // Nothing waits for it: it may last as long as the library's stream.
          void reader.cancel().catch(() => undefined)
        }
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async #openFile(
    commit: string,
    { path, size, hash }: HubFile,
    from: number,
    fetch: Fetch,
  ): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { endpoint, repository } = this.place
    const blob = await this.library.downloadFile({
      repo: { type: 'model', name: repository },
      path,
      revision: commit,
      hubUrl: endpoint,
      // One request for each file: the listing has said the rest.
      downloadInfo: { size, etag: hash.hex, url: `${endpoint}/${repository}/resolve/${commit}/${path}` },
      xet: false,
      fetch,
    })
    if (blob === null) throw notTheHub(this.place)
    return blob.slice(from).stream().getReader() as ReadableStreamDefaultReader<Uint8Array>
  }

  /** A page of a proxy must not count as the content of a file. @throws ModelError */
  async #requireFile(response: Response, { size }: HubFile, from: number): Promise<void> {
    const { status, headers } = response
    const length = headers.get('content-length')
    const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '')
    const isRest = status === 206 && (headers.get('content-range') ?? '').startsWith(`bytes ${from}-`)
    // At the first byte nothing is lost, and the hash decides.
    const isWhole = status === 200 && (from === 0 || length === null || Number(length) === size)
    if (response.body !== null && !isPage && (isRest || isWhole)) return
    await response.body?.cancel().catch(() => undefined)
    throw notTheHub(this.place)
  }

  /** Asks a question, some times if the server is away. @throws ModelError */
  async #ask<T>(question: (fetch: Fetch) => Promise<T>): Promise<T> {
    return await this.retry(async () => {
      let requests = 0
      try {
        return await question(async (input, init) => {
          requests += 1
          if (requests > MAX_PAGES) throw tooManyFiles(this.place)
          return await this.#fetchJson(input, init)
        })
      } catch (error) {
        this.options.signal?.throwIfAborted()
        // The bodies were read: the library finds no JSON in one, or JSON of another shape.
        throw error instanceof ModelError ? error : notTheHub(this.place, error)
      }
    })
  }

  /** @returns an answer whose body is in memory @throws ModelError, also for a body that is too long or comes too late */
  async #fetchJson(...[input, init]: Parameters<Fetch>): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })), STALL_MS)
    try {
      return await withAnySignal([this.options.signal, late.signal], async (abort) => {
        const { body, status, headers } = await untilAborted(this.#checkedFetch(abort)(input, init), abort)
        if (body === null) throw notTheHub(this.place)
        const pieces: Uint8Array[] = []
        let bytes = 0
        for await (const piece of itemsUntilAborted(body as AsyncIterable<Uint8Array>, abort)) {
          bytes += piece.length
          if (bytes > MAX_JSON_BYTES) throw notTheHub(this.place)
          pieces.push(piece)
        }
        return new Response(Buffer.concat(pieces), { status, headers: { link: headers.get('link') ?? '' } })
      })
    } catch (error) {
      this.options.signal?.throwIfAborted()
      throw error instanceof ModelError ? error : unreachable(error, this.place)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Repeats work while the server is away, and waits as long as it asks for. */
  async retry<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.options
    let wishMs = 0
    const options: RetryOptions = {
      backoff: { firstMs: 300, maxRetries: 3 },
      isTransient: (error) => {
        wishMs = error instanceof ModelError ? (error.retryAfterMs ?? 0) : 0
        return error instanceof ModelError && error.isTransient && wishMs <= LONGEST_WISH_MS
      },
      beforeRetry: async () => {
        await pause(wishMs, undefined, signal && { signal }).catch(() => undefined)
        signal?.throwIfAborted()
      },
      ...(signal && { signal }),
    }
    return await retry(work, options)
  }

  /** A fetch that turns each failure into an error with a sentence, and shows the token to the endpoint alone. */
  #checkedFetch(abort: AbortSignal | undefined): Fetch {
    const { signal, token } = this.options
    return async (input, init = {}) => {
      const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input)
      const headers = new Headers(init.headers)
      headers.set('user-agent', 'alcove')
      if (token !== undefined && url.origin === new URL(this.place.endpoint).origin) {
        headers.set('authorization', `Bearer ${token}`)
      }
      let response: Response
      try {
        response = await this.network(url, {
          ...init,
          headers: Object.fromEntries(headers),
          ...(abort && { signal: abort }),
        })
      } catch (error) {
        signal?.throwIfAborted()
        throw unreachable(error, this.place)
      }
      if (response.ok) return response
      await response.body?.cancel().catch(() => undefined)
      throw failureOf(response, this.place)
    }
  }
}

function tooManyFiles({ repository }: HubPlace): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `${repository} has more than ${MAX_FILES} files: it is no embedding model`,
  )
}
