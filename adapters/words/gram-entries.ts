import { gramsOf, leastShared, type Vocabulary } from '../../src/ports/index.js'

/**
 * The parts of the terms of a collection, from which {@link SharedGrams} finds terms that are like a word. An entry means
 * that a term has a part: the hash of the part and the id of the term, 4 bytes each. Entries are in buckets by the last
 * bits of the hash, one row each: a row for each part would take several times as much room in a small collection.
 */
const ENTRY_BYTES = 8
const BUCKETS = 4_096
/** Fewer entries wait beside the buckets: a small addition would otherwise rewrite hundreds of them. */
export const MAX_WAITING_BYTES = 65_536

/** A term with its id in the collection. */
export interface NumberedTerm {
  readonly id: number
  readonly term: string
}

/** FNV-1a with 32 bits. Two parts with one hash only cost a comparison: terms are compared as they are at the end. */
function hashOf(gram: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < gram.length; at += 1) hash = Math.imul(hash ^ gram.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

function bucketOf(hash: number): number {
  return hash % BUCKETS
}

/** Makes the entries of new terms. */
export function entriesOf(terms: readonly NumberedTerm[]): Buffer {
  const words: number[] = []
  for (const { id, term } of terms) for (const gram of gramsOf(term)) words.push(hashOf(gram), id)
  const entries = Buffer.allocUnsafe(words.length * 4)
  for (const [at, word] of words.entries()) entries.writeUInt32LE(word, at * 4)
  return entries
}

/** Distributes entries to their buckets. */
export function byBucket(entries: Buffer): ReadonlyMap<number, Buffer> {
  const parts = new Map<number, Buffer[]>()
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const bucket = bucketOf(entries.readUInt32LE(at))
    const part = entries.subarray(at, at + ENTRY_BYTES)
    const found = parts.get(bucket)
    if (found === undefined) parts.set(bucket, [part])
    else found.push(part)
  }
  return new Map([...parts].map(([bucket, found]) => [bucket, Buffer.concat(found)]))
}

/** Removes the entries of terms that are gone. */
export function withoutTerms(entries: Buffer, gone: ReadonlySet<number>): Buffer {
  const kept: Buffer[] = []
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    if (!gone.has(entries.readUInt32LE(at + 4))) kept.push(entries.subarray(at, at + ENTRY_BYTES))
  }
  return kept.length * ENTRY_BYTES === entries.length ? entries : Buffer.concat(kept)
}

/** Counts the parts that terms share with some words. */
class SharedGrams {
  readonly #words: readonly { readonly grams: number; readonly shared: Map<number, number> }[]
  /** Places of the words that have a part, by its hash. */
  readonly #wanted = new Map<number, number[]>()

  constructor(words: readonly string[]) {
    this.#words = words.map((word, at) => {
      const grams = gramsOf(word)
      for (const hash of new Set([...grams].map(hashOf)))
        this.#wanted.set(hash, [...(this.#wanted.get(hash) ?? []), at])
      return { grams: grams.size, shared: new Map() }
    })
  }

  /** The buckets that have the parts of the words. */
  get buckets(): readonly number[] {
    return [...new Set([...this.#wanted.keys()].map(bucketOf))]
  }

  count(entries: Buffer): void {
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
      const words = this.#wanted.get(entries.readUInt32LE(at))
      if (words === undefined) continue
      const id = entries.readUInt32LE(at + 4)
      for (const word of words) {
        const shared = this.#words[word]?.shared
        shared?.set(id, (shared.get(id) ?? 0) + 1)
      }
    }
  }

  /** @returns the ids of all terms that may be similar to one of the words */
  get candidates(): readonly number[] {
    const ids = this.#words.flatMap(({ grams, shared }) => {
      const least = leastShared(grams)
      return [...shared].filter(([, count]) => count >= least).map(([id]) => id)
    })
    return [...new Set(ids)]
  }

  /** @returns for each word the similar terms, with the number of parts that they share. @param terms the terms by id */
  sharedBy(terms: ReadonlyMap<number, string>): readonly ReadonlyMap<string, number>[] {
    return this.#words.map(({ grams, shared }) => {
      const least = leastShared(grams)
      const found = new Map<string, number>()
      for (const [id, count] of shared) {
        const term = count >= least ? terms.get(id) : undefined
        if (term !== undefined) found.set(term, count)
      }
      return found
    })
  }
}

/** The reads of {@link readShared}. */
interface GramReads {
  /** Reads a row for each of the words that the collection has, and rows of entries: of buckets, and of those that wait. */
  readonly readGrams: (
    words: readonly string[],
    buckets: readonly number[],
  ) => Promise<readonly { readonly term: string | null; readonly entries: Buffer | null }[]>
  /** Reads terms by their ids. A term that is gone is absent. */
  readonly readTerms: (ids: readonly number[]) => Promise<readonly NumberedTerm[]>
}

/** Reads what a vocabulary has of some words: see `Vocabulary.readShared`. */
export async function readShared(
  words: readonly string[],
  { readGrams, readTerms }: GramReads,
): ReturnType<Vocabulary['readShared']> {
  const grams = new SharedGrams(words)
  const rows = await readGrams(words, grams.buckets)
  for (const { entries } of rows) if (entries !== null) grams.count(entries)
  const terms = await readTerms(grams.candidates)
  return {
    known: new Set(rows.flatMap(({ term }) => term ?? [])),
    shared: grams.sharedBy(new Map(terms.map(({ id, term }) => [id, term]))),
  }
}
