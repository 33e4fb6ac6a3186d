import type { DocumentIds, TermCount } from '../../src/ports/index.js'
import type { DocumentRange, PostingSource } from './posting-source.js'
import { bisect, firstNumberOf, POSTING_BYTES, Turns, viewOf } from './postings.js'

/** The number of postings that are read at once, unless one term has more: 512 kB. */
const POSTINGS_AT_ONCE = 65_536
/** The number of postings between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000

/** Counts the chunks and documents that have each term, exactly, among those that pass a filter. */
export async function countTerms(
  source: PostingSource,
  terms: readonly string[],
  filter: DocumentIds = { except: [] },
): Promise<ReadonlyMap<string, TermCount>> {
  const counted = terms.length === 0 ? [] : await source.count(terms)
  const present = terms.flatMap((term, at) => ((counted[at] ?? 0) > 0 ? [{ term, count: counted[at] ?? 0 }] : []))
  if (present.length === 0) return new Map()
  const ranges = await source.rangesOf(filter)
  const turns = new Turns(POSTINGS_PER_TURN)
  const tallies = new Map<string, TermTally>()
  for (let from = 0; from < present.length; ) {
    let [to, postings] = [from, 0]
    while (to < present.length && (to === from || postings + (present[to]?.count ?? 0) <= POSTINGS_AT_ONCE)) {
      postings += present[to]?.count ?? 0
      to += 1
    }
    const names = present.slice(from, to).map(({ term }) => term)
    for (const { term, postings: part } of await source.read(names)) {
      const name = names[term] ?? ''
      const tally = tallies.get(name) ?? new TermTally()
      tallies.set(name, tally)
      tally.add(part, ranges)
      await turns.yieldAfter(part.length / POSTING_BYTES)
    }
    from = to
  }
  return new Map([...tallies].filter(([, { chunks }]) => chunks > 0).map(([term, tally]) => [term, tally.count]))
}

/** The chunks and documents that have one term. */
class TermTally {
  readonly #documents = new Set<number>()
  chunks = 0

  get count(): TermCount {
    return { chunks: this.chunks, documents: this.#documents.size }
  }

  /** Adds postings, in ascending order, whose numbers are in one of the ranges. */
  add(postings: Buffer, ranges: readonly DocumentRange[]): void {
    if (postings.length === 0) return
    const view = viewOf(postings)
    const first = firstNumberOf(postings)
    let range = bisect(0, ranges.length, (at) => (ranges[at]?.end ?? 0) <= first)
    for (let at = 0; at < postings.length; at += POSTING_BYTES) {
      const number = view.getUint32(at)
      while (range < ranges.length && (ranges[range]?.end ?? 0) <= number) range += 1
      const current = ranges[range]
      if (current === undefined) return
      if (number < current.first) continue
      this.chunks += 1
      this.#documents.add(current.documentId)
    }
  }
}
