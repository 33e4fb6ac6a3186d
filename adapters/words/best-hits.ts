import { byLexicalScore, type DocumentIds, type LexicalHit, passesOf } from '../../src/ports/index.js'
import type { NumberRange, PostingSource } from './posting-source.js'
import { ScoredChunks } from './scored-chunks.js'

/** The number of hits that are looked up beyond the limit: some may be deleted. */
const SPARE_HITS = 20
/**
 * The number of candidates with the score of the last hit that are looked up. If there are more, those with the lowest
 * numbers become hits.
 */
const MAX_TIES = 2_000
/** After this many look-ups, the search reads the numbers of all chunks that exist and pass the filter. */
const MAX_LOOKUPS = 3
/** The numbers of the chunks of more documents are not read before the search: looking up more candidates is faster. */
const MAX_LISTED = 2_000
/** The number of documents of a longer list whose chunks are counted, to estimate the share of chunks that pass. */
const SAMPLED_DOCUMENTS = 100
/** Reserve of the candidates of a search with a longer list: the chunks that pass are not spread evenly. */
const CANDIDATES_RESERVE = 1.5
/** The least candidates of a search with a longer list, for each hit: the estimate may be too low. */
const MIN_CANDIDATES_PER_HIT = 2
/** The most candidates of such a search for few hits, and for each of many hits. More would block the event loop. */
const MAX_CANDIDATES = 4_000
const MAX_CANDIDATES_PER_HIT = 4

/** Finds the chunks with the highest sums that are not deleted and pass a filter. */
export class BestHits {
  readonly #filter: DocumentIds
  readonly #passes: (documentId: number) => boolean

  static async of(source: PostingSource, limit: number, filter: DocumentIds | undefined): Promise<BestHits> {
    if (filter === undefined || 'except' in filter) return new BestHits(source, limit, filter, limit + SPARE_HITS)
    if (filter.only.length > MAX_LISTED) {
      const wanted = limit + SPARE_HITS
      const share = await estimateShare(source, filter.only)
      const count = Math.ceil(wanted * Math.max(MIN_CANDIDATES_PER_HIT, CANDIDATES_RESERVE / share))
      const most = Math.max(MAX_CANDIDATES, wanted * MAX_CANDIDATES_PER_HIT)
      return new BestHits(source, limit, filter, Math.min(count, most))
    }
    return new BestHits(source, limit, filter, limit + SPARE_HITS, await source.rangesOf(filter))
  }

  private constructor(
    private readonly source: PostingSource,
    private readonly limit: number,
    filter: DocumentIds | undefined,

    /** The number of candidates of the first look-up. */
    private readonly candidateCount: number,
    private ranges?: readonly NumberRange[],
  ) {
    this.#filter = filter ?? { except: [] }
    this.#passes = passesOf(filter)
  }

  /**
   * Makes the chunks that the filter lists, with the score 0.
   * @returns `undefined` if they are more than `most`, or not known
   */
  listedChunks(most: number): ScoredChunks | undefined {
    const ranges = this.ranges
    if (ranges === undefined) return undefined
    const count = countNumbers(ranges)
    if (count > most) return undefined
    const numbers = new Uint32Array(count)
    let at = 0
    for (const { first, end } of ranges) for (let number = first; number < end; number += 1) numbers[at++] = number
    return ScoredChunks.of(numbers)
  }

  /** The score that a chunk needs to be looked up; 0 if any score is enough. */
  leastOf(scored: ScoredChunks): number {
    return scored.best(this.candidateCount, undefined, this.ranges)[this.candidateCount - 1]?.score ?? 0
  }

  /** Finds the hits, best first. */
  async find(scored: ScoredChunks): Promise<LexicalHit[]> {
    if (this.limit < 1) return []
    const hits: LexicalHit[] = []
    let count = this.candidateCount
    let best = scored.best(count, undefined, this.ranges)
    const leastHit = best[this.limit - 1]?.score
    if (best.length === count && leastHit !== undefined && leastHit === best.at(-1)?.score) {
      // All chunks with the score of the last hit are looked up at once, and one more: it shows that there are no others.
      count = Math.max(count, Math.min(scored.countFrom(leastHit), this.limit + MAX_TIES) + 1)
      best = scored.best(count, undefined, this.ranges)
    }
    for (let lookup = 1; ; lookup += 1) {
      const chunks = await this.source.chunksOf(best.map(({ number }) => number))
      for (const { number, score } of best) {
        const chunk = chunks.get(number)
        if (chunk !== undefined && this.#passes(chunk.documentId)) hits.push({ ...chunk, score })
      }
      if (best.length < count || (hits.length >= this.limit && !canTie(hits, this.limit, best.at(-1)?.score ?? 0)))
        break
      if (lookup >= MAX_LOOKUPS) this.ranges ??= await this.source.rangesOf(this.#filter)
      count *= 2
      best = scored.best(count, best.at(-1), this.ranges)
    }
    return hits.sort(byLexicalScore).slice(0, this.limit)
  }
}

/** Estimates the share of the chunks that belong to some documents. @returns more than 0, and at most 1 */
async function estimateShare(source: PostingSource, documents: readonly number[]): Promise<number> {
  const step = documents.length / SAMPLED_DOCUMENTS
  const sample = Array.from({ length: SAMPLED_DOCUMENTS }, (_, at) => documents[Math.floor(at * step)] ?? 0)
  const chunks = countNumbers(await source.rangesOf({ only: sample }))
  return Math.min(1, (Math.max(1, chunks) * step) / Math.max(1, source.totals.chunks))
}

function countNumbers(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0)
}

/**
 * True if chunks that are not looked up yet may have the score of the last hit. Among equal scores, the oldest document
 * comes first.
 */
function canTie(hits: readonly LexicalHit[], limit: number, leastLookedUp: number): boolean {
  return hits.length < limit + MAX_TIES && hits[limit - 1]?.score === leastLookedUp
}
