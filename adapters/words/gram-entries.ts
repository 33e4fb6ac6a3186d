import { gramsOf, mostSimilar, partsOf, type SharingTerm, type Vocabulary } from '../../src/ports/index.js'

/**
 * The parts of the terms of a collection, from which {@link SharedGrams} finds terms that are like a word. An entry means
 * that a term has a part. It has 26 bits of the hash of the part, the number of parts of the term in 6 bits, and the id of
 * the term in 4 bytes. So the entries tell which terms are most like a word, and only these are read. Entries are in
 * buckets by the first bits of the hash, one row each: a row for each part would take several times as much room in a
 * small collection.
 */
const ENTRY_BYTES = 8
const PARTS_BITS = 6
const PARTS_MASK = 2 ** PARTS_BITS - 1
/** The number of bits that tell the bucket: there are 4,096 buckets. */
const BUCKET_BITS = 12
/** The last 12 bits of a hash. */
const LAST_BITS_MASK = 4_095

/** A term with its id in the collection. */
export interface NumberedTerm {
  readonly id: number
  readonly term: string
}

/** The first bits of FNV-1a with 32 bits. */
function hashOf(gram: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < gram.length; at += 1) hash = Math.imul(hash ^ gram.charCodeAt(at), 0x01000193)
  return hash >>> PARTS_BITS
}

function bucketOf(hash: number): number {
  return hash >>> (32 - PARTS_BITS - BUCKET_BITS)
}

/** Makes the entries of new terms. */
export function entriesOf(terms: readonly NumberedTerm[]): Buffer {
  const words: number[] = []
  for (const { id, term } of terms) {
    const parts = partsOf(term)
    for (const gram of gramsOf(term)) words.push(hashOf(gram) * 2 ** PARTS_BITS + parts, id)
  }
  const entries = Buffer.allocUnsafe(words.length * 4)
  for (const [at, word] of words.entries()) entries.writeUInt32LE(word, at * 4)
  return entries
}

/** Distributes entries to their buckets. */
export function byBucket(entries: Buffer): ReadonlyMap<number, Buffer> {
  const parts = new Map<number, Buffer[]>()
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const bucket = bucketOf(entries.readUInt32LE(at) >>> PARTS_BITS)
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
  readonly #words: readonly { readonly parts: number; readonly shared: Map<number, Candidate> }[]
  /** Places of the words that have a part, by its hash. */
  readonly #wanted = new Map<number, number[]>()
  /** 1 at the last bits of the hashes of these parts: most other entries are told apart without the map. */
  readonly #lastBits = new Uint8Array(LAST_BITS_MASK + 1)

  constructor(words: readonly string[]) {
    this.#words = words.map((word, at) => {
      for (const hash of new Set([...gramsOf(word)].map(hashOf))) {
        this.#wanted.set(hash, [...(this.#wanted.get(hash) ?? []), at])
        this.#lastBits[hash & LAST_BITS_MASK] = 1
      }
      return { parts: partsOf(word), shared: new Map() }
    })
  }

  /** The buckets that have the parts of the words. */
  get buckets(): readonly number[] {
    return [...new Set([...this.#wanted.keys()].map(bucketOf))]
  }

  count(entries: Buffer): void {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.length)
    const lastBits = this.#lastBits
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
      const head = view.getUint32(at, true)
      if (lastBits[(head >>> PARTS_BITS) & LAST_BITS_MASK] === 0) continue
      const words = this.#wanted.get(head >>> PARTS_BITS)
      if (words === undefined) continue
      const id = view.getUint32(at + 4, true)
      for (const word of words) {
        const known = this.#words[word]?.shared.get(id)
        if (known === undefined) this.#words[word]?.shared.set(id, { id, parts: head & PARTS_MASK, shared: 1 })
        else known.shared += 1
      }
    }
  }

  /** @returns for each word, the ids of the terms that are most like it */
  candidates(): readonly (readonly Candidate[])[] {
    return this.#words.map(({ parts, shared }) => mostSimilar(parts, [...shared.values()]))
  }
}

/** A term that has parts of a word. */
interface Candidate extends SharingTerm {
  readonly id: number
  shared: number
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
  const candidates = grams.candidates()
  const terms = await readTerms([...new Set(candidates.flat().map(({ id }) => id))])
  const termOf = new Map(terms.map(({ id, term }) => [id, term]))
  const shared = candidates.map(
    (ofWord) =>
      new Map(
        ofWord.flatMap(({ id, shared }): [string, number][] => {
          const term = termOf.get(id)
          return term === undefined ? [] : [[term, shared]]
        }),
      ),
  )
  return { known: new Set(rows.flatMap(({ term }) => term ?? [])), shared }
}
