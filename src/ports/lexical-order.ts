import type { LexicalHit } from './lexical-index.js'

/** The order of a {@link LexicalAnswer}: the best first; equal ones by document, then by ordinal. */
export function byLexicalScore(one: LexicalHit, other: LexicalHit): number {
  return other.score - one.score || one.documentId - other.documentId || one.chunk - other.chunk
}
