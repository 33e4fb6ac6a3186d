import type { LexicalRows } from '../../src/ports/index.js'

/** Chunks with these terms, from chunk 0 on. */
export function textRows(documentId: number, ...terms: readonly (readonly string[])[]): LexicalRows {
  return { documentId, chunks: terms.map((_, chunk) => chunk), terms }
}

/** A query of these terms, each of weight 1. */
export function weighed(...terms: readonly string[]): ReadonlyMap<string, number> {
  return new Map(terms.map((term) => [term, 1]))
}

/** Documents of words whose frequencies fall as in a natural language, and queries of such words. */
interface GeneratedTexts {
  readonly documents: readonly LexicalRows[]
  readonly questions: readonly ReadonlyMap<string, number>[]
}

/** Generates documents of 50 chunks, each of 20 to 180 terms, and queries of 2 to 12 terms. The output is always the same. */
export function generateTexts(documents: number, questions: number): GeneratedTexts {
  const random = randomFrom(7)
  const word = (): string => `w${Math.floor(4_000 ** random())}`
  const words = (least: number, most: number): string[] =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, word)
  return {
    documents: Array.from({ length: documents }, (_, at) =>
      textRows(at + 1, ...Array.from({ length: 50 }, () => words(20, 180))),
    ),
    questions: Array.from({ length: questions }, () => new Map(words(2, 12).map((term) => [term, 0.5 + random()]))),
  }
}

/** Random numbers from 0 up to, but not including, 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
