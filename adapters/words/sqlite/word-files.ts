import { statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SqliteConnection } from './sqlite-connection.js'
import { makePrivate, removeWordFile, WordFile } from './word-file.js'

const SUFFIX = '.sqlite'
/** Each has up to six open files. */
const MOST_OPEN = 32
/** Of a former layout, whose words are indexed anew. */
const FORMER = /^\.building$|\.lance$|\.terms\.bin$/

interface Opened {
  readonly file: WordFile
  uses: number
  /** Resolves once the last use has ended. */
  unused: (() => void) | undefined
}

/** The files of a folder, one for each collection. Those that were used last are kept open. */
export class WordFiles {
  readonly #folder: string
  /** The one that was used last comes last. */
  readonly #opened = new Map<string, Opened>()
  /** Files that are being closed: whoever wants one waits. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Works with the file of a collection; `nothing` where there is none. */
  async use<T>(collection: string, nothing: T, work: (file: WordFile) => Promise<T>): Promise<T> {
    while (this.#closing.has(collection)) await this.#closing.get(collection)
    if (!this.#opened.has(collection) && !this.#isThere(collection)) return nothing
    return await this.#use(collection, work)
  }

  /** Works with the file of a collection, made now if there is none. */
  async useOrMake<T>(collection: string, work: (file: WordFile) => Promise<T>): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    while (this.#closing.has(collection)) await this.#closing.get(collection)
    return await this.#use(collection, work)
  }

  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#folder).catch(nothingThere)
    return entries.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
  }

  /** Waits for those who use the file. */
  async drop(collection: string): Promise<void> {
    await this.#close(collection, async () => await removeWordFile(this.#pathOf(collection)))
  }

  /** Makes a file that has what another has that is open, as it is now. */
  async takeCopy(collection: string, from: SqliteConnection): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(collection)
    makePrivate(path)
    await from.run('vacuum into ?', [path])
  }

  /** Removes what other kinds of word index have left in the folder. */
  async removeFormer(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(nothingThere)) {
      if (FORMER.test(name)) await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }

  /** Waits for those who use files. */
  async close(): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((collection) => this.#close(collection)))
    await Promise.all(this.#closing.values())
  }

  /** Called when the file is not being closed. */
  async #use<T>(collection: string, work: (file: WordFile) => Promise<T>): Promise<T> {
    const opened = this.#opened.get(collection) ?? {
      file: new WordFile(this.#pathOf(collection)),
      uses: 0,
      unused: undefined,
    }
    this.#opened.delete(collection)
    this.#opened.set(collection, opened)
    opened.uses += 1
    this.#closeOldest()
    try {
      return await work(opened.file)
    } finally {
      opened.uses -= 1
      if (opened.uses === 0) opened.unused?.()
    }
  }

  #closeOldest(): void {
    if (this.#opened.size <= MOST_OPEN) return
    for (const [collection, { uses }] of this.#opened) {
      if (uses > 0) continue
      // That it cannot be closed is told to whoever uses it next.
      this.#close(collection).catch(() => undefined)
      return
    }
  }

  async #close(collection: string, then: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const before = this.#closing.get(collection)
    const opened = this.#opened.get(collection)
    this.#opened.delete(collection)
    const closing = (async () => {
      await before
      if (opened !== undefined && opened.uses > 0) {
        await new Promise<void>((resolve) => {
          opened.unused = resolve
        })
      }
      await opened?.file.close()
      await then()
    })()
    const settled = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(collection) === settled) this.#closing.delete(collection)
      })
    this.#closing.set(collection, settled)
    await closing
  }

  /** @throws Error of the system where that cannot be told: a folder that cannot be read is no empty one */
  #isThere(collection: string): boolean {
    return statSync(this.#pathOf(collection), { throwIfNoEntry: false }) !== undefined
  }

  #pathOf(collection: string): string {
    return join(this.#folder, collection + SUFFIX)
  }
}

function nothingThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
