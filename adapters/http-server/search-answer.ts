import type { IncludedMember, SearchResult } from '../../src/index.js'

/** A search result with the fields of docs/explanation/specification.md, and the members that the client asked for. */
export type SearchAnswer = Pick<SearchResult, 'id' | 'docId' | 'content' | 'similarity'> &
  Partial<Pick<SearchResult, IncludedMember>>

/** Converts search results to answers. An array stays an array, a stream a stream. */
export function searchAnswers(
  found: readonly SearchResult[] | AsyncIterable<SearchResult>,
  include: readonly IncludedMember[] = [],
): readonly SearchAnswer[] | AsyncIterable<SearchAnswer> {
  return 'length' in found ? found.map((result) => toAnswer(result, include)) : streamAnswers(found, include)
}

async function* streamAnswers(
  found: AsyncIterable<SearchResult>,
  include: readonly IncludedMember[],
): AsyncGenerator<SearchAnswer> {
  for await (const result of found) yield toAnswer(result, include)
}

function toAnswer(result: SearchResult, include: readonly IncludedMember[]): SearchAnswer {
  const { id, docId, content, similarity, score, source, match } = result
  return {
    id,
    docId,
    content,
    similarity,
    ...(include.includes('score') && { score }),
    ...(include.includes('source') && { source }),
    ...(include.includes('match') && { match }),
  }
}
