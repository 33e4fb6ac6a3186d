import { statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, makeDatabaseFilePrivate } from '../../node-kit/index.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { removeWordFile, WordFile } from './word-file.js'

const SUFFIX = '.sqlite'
/** The number of collections whose files stay open. Each has up to six open files. */
const MAX_OPEN = 32
/** Names of files of earlier kinds of word index. Their words are indexed again. */
const FORMER_NAME = /^\.building$|\.lance$|\.terms\.bin$/

interface OpenFile {
  readonly file: WordFile
  uses: number
  /** Called when the last use ends. */
  unused: (() => void) | undefined
}

/** The files of a folder, one for each collection. The most recently used ones stay open. */
export class WordFiles {
  readonly #folder: string
  /** In order of use, the most recently used last. */
  readonly #opened = new Map<string, OpenFile>()
  /** Files that are being closed. A call that needs one waits. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Runs work with the file of a collection; returns `emptyResult` if there is none. */
  async use<T>(collection: string, emptyResult: T, work: (file: WordFile) => Promise<T>): Promise<T> {
    while (this.#closing.has(collection)) await this.#closing.get(collection)
    if (!this.#opened.has(collection) && !this.#exists(collection)) return emptyResult
    return await this.#use(collection, work)
  }

  /** Runs work with the file of a collection, and creates the file if there is none. */
  async useOrMake<T>(collection: string, work: (file: WordFile) => Promise<T>): Promise<T> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    while (this.#closing.has(collection)) await this.#closing.get(collection)
    return await this.#use(collection, work)
  }

  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#folder).catch(emptyIfMissing)
    return entries.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
  }

  /** Waits for calls that use the file, then deletes it. */
  async drop(collection: string): Promise<void> {
    await this.#close(collection, async () => await removeWordFile(this.#pathOf(collection)))
  }

  /** Creates a file with a consistent copy of an open one. */
  async copyFrom(collection: string, from: SqliteConnection): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const path = this.#pathOf(collection)
    makeDatabaseFilePrivate(path)
    await from.run('vacuum into ?', [path])
  }

  /** Removes files that earlier kinds of word index have left in the folder. */
  async removeFormerFiles(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(emptyIfMissing)) {
      if (FORMER_NAME.test(name)) await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }

  /** Waits for calls that use files, then closes all files. */
  async close(): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((collection) => this.#close(collection)))
    await Promise.all(this.#closing.values())
  }

  /** The caller makes sure that the file is not being closed. */
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
    if (this.#opened.size <= MAX_OPEN) return
    for (const [collection, { uses }] of this.#opened) {
      if (uses > 0) continue
      // The next use of the file reports the error.
      this.#close(collection).catch(() => undefined)
      return
    }
  }

  async #close(collection: string, afterClose: () => Promise<void> = () => Promise.resolve()): Promise<void> {
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
      await afterClose()
    })()
    const settled = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(collection) === settled) this.#closing.delete(collection)
      })
    this.#closing.set(collection, settled)
    await closing
  }

  /** @throws Error of the system if it cannot tell: an unreadable folder is not an empty one */
  #exists(collection: string): boolean {
    return statSync(this.#pathOf(collection), { throwIfNoEntry: false }) !== undefined
  }

  #pathOf(collection: string): string {
    return join(this.#folder, collection + SUFFIX)
  }
}

function emptyIfMissing(error: unknown): string[] {
  if (isCode(error, 'ENOENT')) return []
  throw error
}
