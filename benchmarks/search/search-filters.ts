import type { DocumentIds } from '../../dist/src/ports/index.js'
import type { Found } from './search-collection.js'
import { type Question, recallOf, type SearchAndScan } from './search-recall.js'

/** Searches with a filter, beside the exact scan with the same condition. */
export interface FilterRow {
  readonly filter: string
  /** The number of documents in the filter. If each query has its own filter, the largest number. */
  readonly documentsListed: number
  readonly recallAt10: number
  readonly p50Ms: number
}

/** The searched documents, and the exact answer to each query without a filter. */
export interface Searched {
  readonly queries: readonly Float32Array[]
  readonly documents: readonly number[]
  readonly exact: readonly (readonly Found[])[]
}

export async function searchFilters(searched: Searched, both: SearchAndScan): Promise<readonly FilterRow[]> {
  const rows: FilterRow[] = []
  for (const { filter, questions } of filtersOf(searched)) {
    const { recallAt10, p50Ms } = await recallOf(questions, both)
    rows.push({ filter, documentsListed: Math.max(...questions.map(documentsListed)), recallAt10, p50Ms })
  }
  return rows
}

interface Filter {
  readonly filter: string
  readonly questions: readonly Question[]
}

function filtersOf({ queries, documents, exact }: Searched): readonly Filter[] {
  const share = (kind: 'only' | 'except', percent: number): Filter => {
    const some = evenly(documents, Math.max(1, Math.round((documents.length * percent) / 100)))
    const filter: DocumentIds = kind === 'only' ? { only: some } : { except: some }
    return { filter: `${kind} ${percent}%`, questions: queries.map((query) => ({ query, documents: filter })) }
  }
  const withoutNearest = queries.map((query, at) => ({ query, documents: { except: documentsIn(exact[at] ?? []) } }))
  return [
    share('only', 50),
    share('only', 1),
    share('only', 0.1),
    share('except', 10),
    // The filter excludes few documents, so that the search still uses the index. They are the documents that it would
    // find.
    { filter: 'except those of the nearest 10', questions: withoutNearest },
  ]
}

/** The documents of windows, without duplicates. */
export function documentsIn(found: readonly Found[]): readonly number[] {
  return [...new Set(found.map(({ documentId }) => documentId))]
}

function evenly(documents: readonly number[], count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => documents[Math.floor((number * documents.length) / count)] ?? 0)
}

function documentsListed({ documents }: Question): number {
  if (documents === undefined) return 0
  return ('only' in documents ? documents.only : documents.except).length
}
