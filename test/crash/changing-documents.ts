/**
 * The documents of a context that is re-indexed meanwhile: uploads, replacements and deletions, which a file notes
 * before they begin and after they are acknowledged. A killed process leaves at most one change in doubt.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../dist/src/index.js'
import { writeWhole } from './reindexed-context.js'

const MOST_DOCUMENTS = 8

/** Names of documents. A replacement has a new name, which counts from its acknowledgement. */
interface Notes {
  readonly names: readonly string[]
  /** The names after the change that has begun. */
  readonly then?: readonly string[]
  readonly next: number
}

/** The text that only the document of this name has. */
export function textOfName(name: string): string {
  const place = `garden of ${name.replace('.txt', '')}`
  return `The swift of the ${place} sleeps in the air above the town.\n\nThe swift lands only at its nest in the ${place}.`
}

export class ChangingDocuments {
  readonly #session: Session
  readonly #contextId: number
  readonly #file: string
  #notes: Notes = { names: [], next: 0 }

  constructor(session: Session, contextId: number, folder: string) {
    this.#session = session
    this.#contextId = contextId
    this.#file = join(folder, 'changing.json')
  }

  /**
   * Compares the documents with the notes. A change in doubt has happened or not.
   * @returns a sentence if another document exists, or one is missing
   */
  async problem(): Promise<string | undefined> {
    const text = await readFile(this.#file, 'utf8').catch(() => undefined)
    if (text !== undefined) this.#notes = JSON.parse(text) as Notes
    const { names, then = names, next } = this.#notes
    const found = await this.names()
    const allowed = [names, then].map((some) => some.toSorted().join())
    if (!allowed.includes(found.join())) return `documents ${found.join()} and not ${allowed.join(' or ')}`
    this.#notes = { names: found, next }
    return undefined
  }

  /** The newest name of each document, sorted. */
  async names(): Promise<readonly string[]> {
    const documents = await this.#session.documents.list(this.#contextId)
    return documents.map(({ originalName, replacement }) => replacement?.originalName ?? originalName).sort()
  }

  /** Uploads a document, replaces one, or deletes one. */
  async change(): Promise<void> {
    const { names, next } = this.#notes
    const name = `swift-${next}.txt`
    const content = textOfName(name)
    const documents = await this.#session.documents.list(this.#contextId)
    const [oldest] = documents
    const replaceable = documents.find(({ completed, replacement }) => completed !== null && replacement === null)
    if (oldest !== undefined && documents.length >= MOST_DOCUMENTS) {
      const gone = oldest.replacement?.originalName ?? oldest.originalName
      const without = names.filter((known) => known !== gone)
      // Not by its UUID: a replacement that is completed meanwhile has another.
      const reference = { contextId: this.#contextId, id: oldest.id }
      await this.#noted(without, async () => await this.#session.documents.delete(reference))
    } else if (next % 3 === 2 && replaceable !== undefined) {
      const without = names.filter((known) => known !== replaceable.originalName)
      const reference = { contextId: this.#contextId, id: replaceable.id }
      const replace = async () => await this.#session.documents.replace(reference, { fileName: name, content })
      await this.#noted([...without, name], replace)
    } else {
      const upload = async () => await this.#session.documents.upload(this.#contextId, { fileName: name, content })
      await this.#noted([...names, name], upload)
    }
  }

  async #noted(then: readonly string[], change: () => Promise<unknown>): Promise<void> {
    const { names, next } = this.#notes
    await writeWhole(this.#file, { names, then, next: next + 1 })
    await change()
    this.#notes = { names: then, next: next + 1 }
    await writeWhole(this.#file, this.#notes)
  }
}
