import { isGram, type Term } from '../../analysis/index.js'
import { namesFor } from '../../documents/index.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { type ChunkKey, displayNameOf, type LexicalQuery, type Storage, type VisibleChunk } from '../../ports/index.js'
import type { PromptTerms } from '../prompt-terms.js'
import { findWords, type WordsInText } from '../words-in-text.js'
import { jointScore, type ScoreScale } from './fusion.js'
import { BEST_CHUNKS, byRelevance, type RankedChunk, readChunk, toMapKey } from './near-chunks.js'
import { MIN_WORD_MAXIMUM, wordShareOf } from './word-side.js'

/** Equal parts of a chunk. Words in one of them are near each other. */
const PARTS = 12
/** Share of what a chunk lacks of the highest score by words that it gets if one part has all words of the prompt. */
const WEIGHT = 0.32
/** Most text that is read for one order, in UTF-16 units: some milliseconds of work. */
const MAX_UNITS = 65_536

/** Most words of a chunk that are kept for the match of a result: a slow client may hold many results. */
const MAX_KEPT = 500

/** A chunk with the words of the prompt in its text. */
interface WithWords {
  readonly found?: WordsInText
}

/**
 * Orders the best chunks of a search by words that stand near each other, too. The score of a chunk by words grows by the
 * share of the prompt's words, weighted by their rarity, that one twelfth of its text has. Names and headings are near
 * everything. Pairs of characters tell nothing: those of one word are always near each other.
 * `docs/explanation/decisions.md` has the measurements.
 */
export class Nearness {
  constructor(private readonly storage: Storage) {}

  /**
   * @param ranked the best first
   * @param records with the texts of the chunks, as far as they are read
   * @returns the same chunks; the first five may have higher scores and another order
   */
  async order<Chunk extends RankedChunk>(
    ranked: readonly Chunk[],
    records: readonly VisibleChunk[],
    termsOf: (chunk: Chunk) => PromptTerms,
    scale: ScoreScale,
    signal: AbortSignal | undefined,
  ): Promise<(Chunk & WithWords)[]> {
    const compared = ranked.slice(0, BEST_CHUNKS)
    const hasPairs = compared.every((chunk) => termsOf(chunk).weights.size > 1)
    if (scale.by === 'meaning' || !hasPairs || compared.length < 2) return [...ranked]
    const byKey = new Map(records.map((record) => [toMapKey(record), record]))
    const texts = await this.#readTexts(compared, byKey)
    const slice = new TimeSlice()
    const first: (Chunk & WithWords)[] = []
    let units = 0
    for (const chunk of compared) {
      const [record, text] = [byKey.get(toMapKey(chunk)), texts.get(toMapKey(chunk))]
      units += text?.length ?? 0
      // The chunks behind this one stay behind those whose scores grow.
      if (record === undefined || text === undefined || units > MAX_UNITS) break
      signal?.throwIfAborted()
      const terms = termsOf(chunk)
      const found = await findWords(text, terms, slice)
      const names = namesFor(displayNameOf(record))(record.headings).flatMap((name) => terms.termFor(name) ?? [])
      const share = shareOfPart(found.terms, text.length, terms.idfs, names)
      const scores = scoresOf(chunk, share, scale)
      first.push({ ...chunk, ...scores, ...(found.terms.length <= MAX_KEPT && { found }) })
    }
    return [...first.sort(byRelevance), ...ranked.slice(first.length)]
  }

  /** Reads the texts that the records lack. @returns all texts, by the key of their chunk */
  async #readTexts(
    keys: readonly ChunkKey[],
    records: ReadonlyMap<string, VisibleChunk>,
  ): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>()
    const missing: ChunkKey[] = []
    for (const key of keys) {
      const content = records.get(toMapKey(key))?.content
      if (content === undefined || content === null) missing.push(key)
      else texts.set(toMapKey(key), content)
    }
    if (missing.length === 0) return texts
    await this.storage.read(async ({ chunks }) => {
      for (const key of missing) {
        const chunk = await readChunk(chunks, key)
        if (chunk !== undefined) texts.set(toMapKey(key), chunk.content)
      }
    })
    return texts
  }
}

/**
 * @param found the terms of the prompt in a text
 * @param names terms that count in each part
 * @returns the share of the terms that the best part of the text has, 0 to 1
 */
export function shareOfPart(
  found: readonly Term[],
  length: number,
  idfs: LexicalQuery,
  names: readonly string[],
): number {
  let [total, everywhere] = [0, 0]
  const named = new Set(names)
  for (const [term, idf] of idfs) {
    total += idf
    if (named.has(term) && !isGram(term)) everywhere += idf
  }
  const parts = Array.from({ length: PARTS }, () => new Set<string>())
  for (const { term, start } of found) {
    if (!named.has(term) && !isGram(term)) parts[Math.floor((start * PARTS) / length)]?.add(term)
  }
  const sums = parts.map((terms) => [...terms].reduce((sum, term) => sum + (idfs.get(term) ?? 0), 0))
  return total === 0 ? 0 : (everywhere + Math.max(...sums)) / total
}

/** @returns the scores of a chunk of which a part has this share of the prompt's words */
function scoresOf(chunk: RankedChunk, share: number, scale: ScoreScale): Pick<RankedChunk, 'score' | 'wordScore'> {
  const grown = (score: number): number => score + WEIGHT * share * (1 - score)
  if (scale.by !== 'both') return { score: grown(chunk.score) }
  const { similarity, wordScore = 0 } = chunk
  if (wordScore === 0) return { score: chunk.score, wordScore }
  const maximum = Math.max(scale.question.wordMaximum, MIN_WORD_MAXIMUM)
  const higher = grown(wordShareOf(wordScore, maximum)) * maximum
  return { score: jointScore({ similarity, wordScore: higher }, scale.question, scale.hasWords), wordScore: higher }
}
