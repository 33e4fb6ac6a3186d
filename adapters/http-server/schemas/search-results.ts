import { z } from 'zod'
import type { ContextSearchResult, IncludedMember, ResultSource, SearchResult } from '../../../src/index.js'
import { fraction, headings, id, metadata, offset, pages } from './fields.js'

export const resultSource: z.ZodType<ResultSource> = z
  .object({
    uuid: z.uuid().meta({ description: "The document's `fileName`" }),
    originalName: z.string(),
    displayName: z.string(),
    start: offset.meta({ description: "Offset of the chunk in the document's text, in UTF-16 units" }),
    end: offset,
    pages,
    headings,
    metadata,
    foundBy: z.array(z.enum(['words', 'meaning'])).meta({ description: 'The indexes that found the chunk' }),
    corrected: z
      .array(z.object({ from: z.string(), to: z.string() }))
      .exactOptional()
      .meta({
        description: 'Words of the prompt that the context does not have, each with the word that counted for it',
      }),
    collapsed: z.int().min(1).exactOptional().meta({
      description: 'Number of further chunks with the same text, which `collapse` leaves out',
    }),
  })
  .meta({ id: 'SearchResultSource' })

/** A search result with the fields of docs/explanation/specification.md, and the members that the client asked for. */
type SearchAnswer = Pick<SearchResult, 'id' | 'docId' | 'content' | 'similarity'> &
  Partial<Pick<SearchResult, IncludedMember>>

const searchResult = z.object({
  id,
  docId: id,
  content: z.string(),
  similarity: fraction.meta({ description: 'Cosine similarity of prompt and chunk, in every search mode' }),
  score: fraction.exactOptional().meta({ description: 'Orders the results of one search. Only if `include` lists it' }),
  source: resultSource.exactOptional(),
  match: z.object({ start: offset, end: offset }).exactOptional().meta({
    description:
      'The part of `content` that matched best, in whole sentences and rows, in UTF-16 units. Only if `include` lists it',
  }),
  snippet: z.string().max(320).exactOptional().meta({
    description: 'The match in one line of at most 320 UTF-16 units. Only if `include` lists it',
  }),
})

export const searchResultSchema: z.ZodType<SearchAnswer> = searchResult.meta({ id: 'SearchResult' })

/** A result of a search of several contexts. */
type ContextSearchAnswer = SearchAnswer & Pick<ContextSearchResult, 'contextId'>

export const contextSearchResultSchema: z.ZodType<ContextSearchAnswer> = searchResult
  .extend({ contextId: id })
  .meta({ id: 'ContextSearchResult' })

/** Results of one search: an array, or a stream. */
type Results<Result> = readonly Result[] | AsyncIterable<Result>

/** Converts search results to answers. An array stays an array, a stream a stream. */
export function searchAnswers(
  found: Results<SearchResult>,
  include: readonly IncludedMember[] = [],
): Results<SearchAnswer> {
  return mapResults(found, (result) => toAnswer(result, include))
}

/** As {@link searchAnswers}, for a search of several contexts. */
export function contextSearchAnswers(
  found: Results<ContextSearchResult>,
  include: readonly IncludedMember[] = [],
): Results<ContextSearchAnswer> {
  return mapResults(found, (result) => ({ contextId: result.contextId, ...toAnswer(result, include) }))
}

function mapResults<Result, Answered>(
  found: Results<Result>,
  toAnswered: (result: Result) => Answered,
): Results<Answered> {
  return 'length' in found ? found.map(toAnswered) : streamResults(found, toAnswered)
}

async function* streamResults<Result, Answered>(
  found: AsyncIterable<Result>,
  toAnswered: (result: Result) => Answered,
): AsyncGenerator<Answered> {
  for await (const result of found) yield toAnswered(result)
}

function toAnswer(result: SearchResult, include: readonly IncludedMember[]): SearchAnswer {
  const { id, docId, content, similarity, score, source, match, snippet } = result
  return {
    id,
    docId,
    content,
    similarity,
    ...(include.includes('score') && { score }),
    ...(include.includes('source') && { source }),
    ...(include.includes('match') && { match }),
    ...(include.includes('snippet') && { snippet }),
  }
}
