import type { z } from 'zod'
import { documentFilterSchema, parseFilter } from '../documents/index.js'
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
import { type DocumentConditions, SEARCH_MODES, type SearchMode } from '../ports/index.js'

/** The members that replace settings of the context for one search. */
interface SearchSettings {
  /** The way to find chunks. Default: the context's `searchMode`. */
  readonly mode?: SearchMode | undefined
  /** Maximum number of results, 1 to 100. Default: the context's `topN`. */
  readonly topN?: number | undefined
  /** Minimum similarity of a result, 0 to 1. Default: the context's `scoreThreshold`. */
  readonly scoreThreshold?: number | undefined
  /** Only documents that meet these conditions. Default: all documents. */
  readonly filter?: DocumentConditions | undefined
}

export interface SearchOptions extends SearchSettings {
  /** Aborts the search, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal | undefined
}

const PROMPT = textSchema({ min: 1, max: 32_768 })
const SETTINGS = {
  mode: choiceSchema(SEARCH_MODES).optional(),
  topN: integerSchema({ min: 1, max: 100 }).optional(),
  scoreThreshold: fractionSchema({ min: 0, max: 1 }).optional(),
  filter: documentFilterSchema.optional(),
}
const INCLUDED = ['score', 'source', 'match'] as const

/** A member of a result that the REST API adds only if the request asks for it: the specification does not have it. */
export type IncludedMember = (typeof INCLUDED)[number]

/** The body of a search request over HTTP. */
export interface SearchBody extends SearchSettings {
  /** 1 to 32,768 characters, not blank. */
  readonly prompt: string
  /** Additional members of each result. Default: none. */
  readonly include?: readonly IncludedMember[] | undefined
}

/** Schema for the body of `POST /context/relevant-docs/{contextId}`. */
export const searchBodySchema: z.ZodType<SearchBody> = objectSchema({
  prompt: PROMPT,
  ...SETTINGS,
  include: listSchema(choiceSchema(INCLUDED), INCLUDED.length).optional(),
})

const OPTIONS = closedObjectSchema({ ...SETTINGS, signal: signalSchema().optional() })

/** @throws InvalidInputError */
export function parseSearch(prompt: unknown, options: unknown): SearchOptions & { readonly prompt: string } {
  const { filter, ...settings } = validate(OPTIONS, options)
  // A copy: the search reads the conditions several times.
  return { prompt: validate(PROMPT, prompt, 'prompt'), ...settings, filter: parseFilter(filter) }
}
