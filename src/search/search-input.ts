import type { z } from 'zod'
import {
  choiceSchema,
  closedObjectSchema,
  fractionSchema,
  integerSchema,
  listSchema,
  objectSchema,
  signalSchema,
  textSchema,
  validate,
} from '../kernel/validate.js'
import { SEARCH_MODES, type SearchMode } from '../ports/index.js'

export interface SearchOptions {
  /** The way to find chunks. Default: the context's `searchMode`. */
  readonly mode?: SearchMode
  /** Maximum number of results, 1 to 100. Default: the context's `topN`. */
  readonly topN?: number
  /** Minimum similarity of a result, 0 to 1. Default: the context's `scoreThreshold`. */
  readonly scoreThreshold?: number
  /** Aborts the search, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal
}

const PROMPT = textSchema({ min: 1, max: 32_768 })
const MODE = choiceSchema(SEARCH_MODES)
const TOP_N = integerSchema({ min: 1, max: 100 })
const SCORE_THRESHOLD = fractionSchema({ min: 0, max: 1 })
const INCLUDED = ['score', 'source', 'match'] as const

/** A member of a result that the REST API adds only if the request asks for it: the specification does not have it. */
export type IncludedMember = (typeof INCLUDED)[number]

/** The body of a search request over HTTP. */
export interface SearchBody {
  /** 1 to 32,768 characters, not blank. */
  readonly prompt: string
  /** Default: the context's `searchMode`. */
  readonly mode?: SearchMode | undefined
  /** Maximum number of results, 1 to 100. Default: the context's `topN`. */
  readonly topN?: number | undefined
  /** Minimum similarity of a result, 0 to 1. Default: the context's `scoreThreshold`. */
  readonly scoreThreshold?: number | undefined
  /** Additional members of each result. Default: none. */
  readonly include?: readonly IncludedMember[] | undefined
}

/** Schema for the body of `POST /context/relevant-docs/{contextId}`. */
export const searchBodySchema: z.ZodType<SearchBody> = objectSchema({
  prompt: PROMPT,
  mode: MODE.optional(),
  topN: TOP_N.optional(),
  scoreThreshold: SCORE_THRESHOLD.optional(),
  include: listSchema(choiceSchema(INCLUDED), INCLUDED.length).optional(),
})

const OPTIONS = closedObjectSchema({
  mode: MODE.optional(),
  topN: TOP_N.optional(),
  scoreThreshold: SCORE_THRESHOLD.optional(),
  signal: signalSchema().optional(),
})

/** A valid prompt, and valid {@link SearchOptions}. */
interface ParsedSearch {
  readonly prompt: string
  readonly mode?: SearchMode | undefined
  readonly topN?: number | undefined
  readonly scoreThreshold?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** @throws InvalidInputError */
export function parseSearch(prompt: unknown, options: unknown): ParsedSearch {
  return { prompt: validate(PROMPT, prompt, 'prompt'), ...validate(OPTIONS, options) }
}
