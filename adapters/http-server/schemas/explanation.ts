import { z } from 'zod'
import { REASON_CODES, type SearchExplanation } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import { fraction, id, offset } from './fields.js'
import { resultSource } from './search-results.js'

const count = z.int().min(0)
const rank = z.int().min(1).nullable()

const documents = z.object({
  total: count,
  searchable: count.meta({ description: 'Completed documents' }),
  waiting: count.meta({ description: 'Documents that the engine still processes' }),
  foundByWordsOnly: count.meta({ description: 'Waiting documents that words find already' }),
  failed: count,
  withoutWords: count.meta({ description: 'Completed documents whose words the engine still indexes' }),
  filtered: count.nullable().meta({ description: 'Documents that the filter left; null without a filter' }),
})

const word = z.object({
  word: z.string().meta({ description: 'The word as the prompt has it' }),
  term: z.string().meta({ description: 'The form that the word index compares' }),
  isQuestionWord: z.boolean().meta({ description: 'True for a word such as "how", which counts little' }),
  isFromHistory: z.boolean().meta({ description: 'True for a word that only the `history` has' }),
  documents: count.meta({ description: 'Documents that words may find now and that have the word' }),
  chunks: count,
  similar: z
    .array(z.object({ term: z.string(), weight: fraction }))
    .meta({ description: 'The terms of the context that count as this word, the most alike first' }),
})

const part = z.object({
  text: z.string(),
  isQuestion: z.boolean().meta({ description: 'True if it ends with a question mark, which counts three times' }),
  score: z.number().min(0).meta({ description: 'BM25 of the chunk that covers it best' }),
  maximum: z.number().min(0).meta({ description: 'The BM25 that no chunk can exceed' }),
  decides: z.boolean().meta({ description: 'True for the part that decides. Without one, the whole prompt decides' }),
})

const hit = z.object({
  id,
  docId: id,
  similarity: fraction,
  score: fraction,
  match: z.object({ start: offset, end: offset }),
  source: resultSource,
  snippet: z.string().meta({ description: 'The match in one line of at most 320 UTF-16 units' }),
  passage: z.string().meta({ description: 'The part of the chunk that matched' }),
  words: z.object({
    rank: rank.meta({ description: 'Null beyond the first 200 chunks' }),
    score: z.number().min(0),
    inNames: z
      .array(z.string())
      .meta({ description: 'Terms of the prompt that the name of the document or the headings have' }),
  }),
  meaning: z.object({ rank: rank.meta({ description: 'Null beyond the nearest 200 windows' }), similarity: fraction }),
  beforeReranking: z
    .object({ rank: z.int().min(1), score: fraction })
    .nullable()
    .meta({ description: 'Place and score before the reranker; null if it did not make the order' }),
})

/** The schema of the explanation of a search. */
export const explanationSchema: z.ZodType<SearchExplanation> = z
  .object({
    contextId: id,
    mode: z.enum(SEARCH_MODES),
    topN: z.int(),
    scoreThreshold: fraction,
    model: z.object({
      id: z.string(),
      knowledge: fraction.nullable().meta({
        description: 'How much of the prompt it knows: by its vocabulary, or all of it for a model of many languages',
      }),
    }),
    documents,
    bestSimilarity: fraction.nullable().meta({ description: 'Also if it is below `scoreThreshold`' }),
    evidence: fraction.nullable().meta({
      description: 'Evidence that the documents answer the prompt. Below `minEvidence`, the search gives nothing',
    }),
    parts: z.array(part).meta({ description: 'The parts of a prompt of several sentences or lines, at most 24' }),
    words: z.array(word),
    hits: z.array(hit),
    reasons: z
      .array(z.object({ code: z.enum(REASON_CODES), message: z.string() }))
      .meta({ description: 'Causes of an empty or short answer, the likeliest first' }),
    reranking: z
      .object({
        id: z.string(),
        chunks: count.meta({ description: 'Chunks that it was to score' }),
        problem: z.string().nullable().meta({ description: 'Why the order is that of before; null if it is new' }),
      })
      .nullable()
      .meta({ description: 'The work of the reranker; null for a server without one' }),
  })
  .meta({ id: 'SearchExplanation' })
