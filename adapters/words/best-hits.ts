import { byLexicalScore, type DocumentFilter, type LexicalHit } from '../../src/ports/index.js'
import type { NumberRange, PostingSource } from './posting-source.js'
import type { ScoredChunks } from './scored-chunks.js'

/** Hits that are looked up beyond those asked for: some may be deleted. */
const SPARE_HITS = 20
/** Candidates with the score of the last hit that are looked up: of more, those with the lowest numbers are the hits. */
const MOST_TIES = 2_000
/** Look-ups after which all numbers of chunks are read that are not deleted and pass the filter. */
const MOST_LOOKUPS = 3

/** Finds the chunks with the highest sums that are not deleted and pass a filter. */
export class BestHits {
  readonly #source: PostingSource
  readonly #limit: number
  /** Of the first look. */
  readonly #most: number
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
    this.#most = limit + SPARE_HITS
    this.#except = except
    this.#ranges = ranges
  }

  /** The score that chunks need to be among those that are looked up; 0 where that is any score. */
  leastOf(scored: ScoredChunks): number {
    return scored.best(this.#most, undefined, this.#ranges)[this.#most - 1]?.score ?? 0
  }

  /** The hits. */
  async find(scored: ScoredChunks): Promise<LexicalHit[]> {
    if (this.#limit < 1) return []
    const hits: LexicalHit[] = []
    let count = this.#most
    let best = scored.best(count, undefined, this.#ranges)
    for (let lookup = 1; ; lookup += 1) {
      const chunks = await this.#source.chunksOf(best.map(({ number }) => number))
      for (const { number, score } of best) {
        const chunk = chunks.get(number)
        if (chunk !== undefined && !this.#except.has(chunk.documentId)) hits.push({ ...chunk, score })
      }
      if (best.length < count || (hits.length >= this.#limit && !mayTie(hits, this.#limit, best.at(-1)?.score ?? 0)))
        break
      if (lookup >= MOST_LOOKUPS) this.#ranges ??= await this.#source.rangesOf({ except: [...this.#except] })
      count *= 2
      best = scored.best(count, best.at(-1), this.#ranges)
    }
    return hits.sort(byLexicalScore).slice(0, this.#limit)
  }
}

/** Whether chunks that are not looked up yet may have the score of the last hit: of equal ones the oldest document comes first. */
function mayTie(hits: readonly LexicalHit[], limit: number, leastLookedUp: number): boolean {
  return hits.length < limit + MOST_TIES && hits[limit - 1]?.score === leastLookedUp
}
