import type { ChunkTerms } from '../../src/ports/index.js'
import { FILTER_SIZE, forEachTerm, hashOf } from './term-hash.js'
import type { EncodedTerms } from './term-statistics.js'

const NO_TERM = /[\s\p{Cc}]/u

interface QuestionTerm {
  readonly term: string
  readonly bytes: Uint8Array
  readonly hash: number
}

/** The terms of a question, and how often they are in a chunk. */
export class QuestionTerms {
  /** Those that a chunk can have. */
  readonly all: readonly QuestionTerm[]
  readonly #byHash = new Map<number, QuestionTerm[]>()
  /** See {@link forEachTerm}: most terms of a chunk are none of the question's. */
  readonly #mayBe = new Uint8Array(FILTER_SIZE)

  constructor(terms: Iterable<string>) {
    const encoder = new TextEncoder()
    const all: QuestionTerm[] = []
    for (const term of terms) {
      if (term === '' || NO_TERM.test(term)) continue
      const bytes = encoder.encode(term)
      const one = { term, bytes, hash: hashOf(bytes) }
      all.push(one)
      this.#byHash.set(one.hash, [...(this.#byHash.get(one.hash) ?? []), one])
      this.#mayBe[one.hash % FILTER_SIZE] = 1
    }
    this.all = all
  }

  /** As a chunk has them: joined by one space. */
  get text(): string {
    return this.all.map(({ term }) => term).join(' ')
  }

  /** What BM25 needs to know of a chunk, and whether it has any of the terms. */
  in({ bytes, offsets }: EncodedTerms, row: number): ChunkTerms & { readonly isAny: boolean } {
    const counts = new Map<string, number>()
    const mayBe = this.#mayBe
    const length = forEachTerm(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0, mayBe, (hash, start, end) => {
      const one = this.#byHash.get(hash)?.find((each) => isSame(each.bytes, bytes, start, end))
      if (one !== undefined) counts.set(one.term, (counts.get(one.term) ?? 0) + 1)
    })
    return { length, isAny: counts.size > 0, occurrences: (term) => counts.get(term) ?? 0 }
  }
}

function isSame(term: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (term.length !== end - start) return false
  for (let at = 0; at < term.length; at += 1) if (term[at] !== bytes[start + at]) return false
  return true
}
