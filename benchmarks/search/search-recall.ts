import type { DocumentIds } from '../../dist/src/ports/index.js'
import { atOnce, quantile } from '../harness/measure.js'
import type { Found } from './search-collection.js'

/** Concurrent exact scans. On few cores more of them are no faster. */
const SCANS_AT_ONCE = 4

/** Finds the windows nearest to a query, nearest first. */
type Search = (query: Float32Array, documents?: DocumentIds) => Promise<readonly Found[]>

/** A search, and the exact scan of the same table. */
export interface SearchAndScan {
  readonly find: Search
  readonly scan: Search
}

/** A query, and the documents that its hits may come from. Default: all documents. */
export interface Question {
  readonly query: Float32Array
  readonly documents?: DocumentIds
}

/** The recall and the time of a search. */
export interface Recall {
  readonly recallAt10: number
  readonly p50Ms: number
  readonly exact: readonly (readonly Found[])[]
}

export async function recallOf(questions: readonly Question[], { find, scan }: SearchAndScan): Promise<Recall> {
  const { answers, times } = await answersTo(questions, find, 1)
  const { answers: exact } = await answersTo(questions, scan, SCANS_AT_ONCE)
  return { recallAt10: shareFound(answers, exact), p50Ms: quantile(times, 0.5), exact }
}

/** The share of the exact answers that the search found, in thousandths. */
export function shareFound(answers: readonly (readonly Found[])[], exact: readonly (readonly Found[])[]): number {
  const names = answers.map((found) => new Set(found.map(nameOf)))
  const right = exact.flatMap((found, at) => found.filter((one) => names[at]?.has(nameOf(one))))
  // The result is no number if the exact answers are empty. It passes no check.
  return Math.round((right.length / exact.flat().length) * 1_000) / 1_000
}

async function answersTo(
  questions: readonly Question[],
  search: Search,
  callers: number,
): Promise<{ readonly answers: readonly (readonly Found[])[]; readonly times: readonly number[] }> {
  const answers: (readonly Found[])[] = []
  const { times } = await atOnce(callers, questions.length, async (at) => {
    const question = questions[at]
    if (question !== undefined) answers[at] = await search(question.query, question.documents)
  })
  return { answers, times }
}

function nameOf({ documentId, chunk }: Found): string {
  return `${documentId}:${chunk}`
}
