import { byLexicalScore, type DocumentFilter, type LexicalHit } from '../../src/ports/index.js'
import type { NumberRange, PostingSource } from './posting-source.js'
import type { ScoredChunks } from './scored-chunks.js'

/** The number of hits that are looked up beyond the limit: some may be deleted. */
const SPARE_HITS = 20
/**
 * The number of candidates with the score of the last hit that are looked up. If there are more, those with the lowest
 * numbers become hits.
 */
const MAX_TIES = 2_000
/** After this many look-ups, the search reads the numbers of all chunks that exist and pass the filter. */
const MAX_LOOKUPS = 3

/** Finds the chunks with the highest sums that are not deleted and pass a filter. */
export class BestHits {
  readonly #source: PostingSource
  readonly #limit: number
  /** The number of candidates of the first look-up. */
  readonly #candidateCount: number
  readonly #except: ReadonlySet<number>
  #ranges: readonly NumberRange[] | undefined

  static async of(source: PostingSource, limit: number, filter: DocumentFilter | undefined): Promise<BestHits> {
    const except = new Set(filter !== undefined && 'except' in filter ? filter.except : [])
    const ranges = filter !== undefined && 'only' in filter ? await source.rangesOf(filter) : undefined
    return new BestHits(source, limit, except, ranges)
  }

  private constructor(
    source: PostingSource,
    limit: number,
    except: ReadonlySet<number>,
    ranges: readonly NumberRange[] | undefined,
  ) {
    this.#source = source
    this.#limit = limit
    this.#candidateCount = limit + SPARE_HITS
    this.#except = except
    this.#ranges = ranges
  }

  /** The score that a chunk needs to be looked up; 0 if any score is enough. */
  leastOf(scored: ScoredChunks): number {
    return scored.best(this.#candidateCount, undefined, this.#ranges)[this.#candidateCount - 1]?.score ?? 0
  }

  /** Finds the hits, best first. */
  async find(scored: ScoredChunks): Promise<LexicalHit[]> {
    if (this.#limit < 1) return []
    const hits: LexicalHit[] = []
    let count = this.#candidateCount
    let best = scored.best(count, undefined, this.#ranges)
    for (let lookup = 1; ; lookup += 1) {
      const chunks = await this.#source.chunksOf(best.map(({ number }) => number))
      for (const { number, score } of best) {
        const chunk = chunks.get(number)
        if (chunk !== undefined && !this.#except.has(chunk.documentId)) hits.push({ ...chunk, score })
      }
      if (best.length < count || (hits.length >= this.#limit && !canTie(hits, this.#limit, best.at(-1)?.score ?? 0)))
        break
      if (lookup >= MAX_LOOKUPS) this.#ranges ??= await this.#source.rangesOf({ except: [...this.#except] })
      count *= 2
      best = scored.best(count, best.at(-1), this.#ranges)
    }
    return hits.sort(byLexicalScore).slice(0, this.#limit)
  }
}

/**
 * True if chunks that are not looked up yet may have the score of the last hit. Among equal scores, the oldest document
 * comes first.
 */
function canTie(hits: readonly LexicalHit[], limit: number, leastLookedUp: number): boolean {
  return hits.length < limit + MAX_TIES && hits[limit - 1]?.score === leastLookedUp
}
