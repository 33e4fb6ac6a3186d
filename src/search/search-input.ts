import type { z } from 'zod'
import { composedFilter, documentFilterSchema } from '../documents/index.js'
import { InvalidInputError } from '../kernel/errors.js'
import type { TurnTaker } from '../kernel/scheduling/fair-scheduler.js'
import {
  booleanSchema,
  choiceSchema,
  closedObjectSchema,
  fractionSchema,
  idSchema,
  integerSchema,
  listSchema,
  objectSchema,
  signalSchema,
  textSchema,
  validate,
} from '../kernel/validate.js'
import {
  type ContextRecord,
  type DocumentFilter,
  type LexicalStatistics,
  SEARCH_MODES,
  type SearchMode,
} from '../ports/index.js'
import type { HistoryMessage } from './history-words.js'
import type { RepeatKind } from './ranking/repeats.js'
import type { EmbeddedPrompt, ReadPrompt } from './read-prompt.js'
import { WORD_MATCHINGS, type WordMatching } from './word-matching.js'

/** The members that replace settings of the context for one search. */
export interface SearchSettings {
  /** The way to find chunks. Default: the context's `searchMode`. */
  readonly mode?: SearchMode | undefined
  /** Maximum number of results, 1 to 100. Default: the context's `topN`. */
  readonly topN?: number | undefined
  /** Minimum similarity of a result, 0 to 1. Default: the context's `scoreThreshold`. */
  readonly scoreThreshold?: number | undefined
  /** Only documents that meet these conditions. Default: all documents. */
  readonly filter?: DocumentFilter | undefined
  /**
   * False to list each chunk. By default, chunks with the same text count once: copies, and neighbours in one document
   * that have more than two fifths in common. The best one says how many more there are.
   */
  readonly collapse?: boolean | undefined
  /**
   * `exact`: each word of the prompt stands for itself alone, as between quotation marks. Default: `similar`, so a word
   * also finds its inflections, its compounds, what it may mean with a typing error, and acronyms.
   */
  readonly words?: WordMatching | undefined
  /**
   * Minimum evidence that the documents answer the prompt, 0 to 1: by the share of its words that the best chunk has, and
   * by the meaning of that chunk. A prompt below it gives no results, in the mode `hybrid`. 0 turns it off. Default: 1.
   */
  readonly minEvidence?: number | undefined
  /**
   * Messages of the chat before the prompt, the oldest first: at most 1,000, with 1,000,000 UTF-16 units together. Words
   * of the user's last four messages count too, with weights that fade: "And in the second year?" finds what the user
   * asked about before. They do not change the meaning of the prompt. Default: none.
   */
  readonly history?: readonly HistoryMessage[] | undefined
}

export interface SearchOptions extends SearchSettings {
  /** Aborts the search, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal | undefined
}

/** A text to search for. */
export const PROMPT: z.ZodType<string> = textSchema({ min: 1, max: 32_768 })
const MESSAGE: z.ZodType<HistoryMessage> = objectSchema({
  role: choiceSchema(['user', 'assistant']),
  content: textSchema({ max: 100_000 }),
})
/** The schemas of {@link SearchSettings}. */
export const SEARCH_SETTINGS: {
  readonly [Name in keyof SearchSettings]-?: z.ZodOptional<z.ZodType<NonNullable<SearchSettings[Name]>>>
} = {
  mode: choiceSchema(SEARCH_MODES).optional(),
  topN: integerSchema({ min: 1, max: 100 }).optional(),
  scoreThreshold: fractionSchema({ min: 0, max: 1 }).optional(),
  filter: documentFilterSchema.optional(),
  collapse: booleanSchema().meta({ description: 'False to list each chunk, also those with the same text' }).optional(),
  words: choiceSchema(WORD_MATCHINGS)
    .meta({ description: 'Words count together with similar ones (default), or stand for themselves alone' })
    .optional(),
  minEvidence: fractionSchema({ min: 0, max: 1 })
    .meta({ description: 'A prompt with less evidence in the documents gives no results; 0 turns it off. Default: 1' })
    .optional(),
  history: listSchema(MESSAGE, 1_000).optional(),
}
const INCLUDED = ['score', 'source', 'match', 'snippet'] as const

/** A member of a result that the REST API adds only if the request asks for it: the specification does not have it. */
export type IncludedMember = (typeof INCLUDED)[number]

/** The body of a search request over HTTP. */
export interface SearchBody extends SearchSettings {
  /** 1 to 32,768 characters, not blank. */
  readonly prompt: string
  /** Additional members of each result. Default: none. */
  readonly include?: readonly IncludedMember[] | undefined
}

const BODY = {
  prompt: PROMPT,
  ...SEARCH_SETTINGS,
  include: listSchema(choiceSchema(INCLUDED), INCLUDED.length).optional(),
}

/** Schema for the body of `POST /context/relevant-docs/{contextId}`. */
export const searchBodySchema: z.ZodType<SearchBody> = objectSchema(BODY)

const OPTIONS = closedObjectSchema({ ...SEARCH_SETTINGS, signal: signalSchema().optional() })

/** The body of a request for an explanation over HTTP. */
export type ExplainBody = Omit<SearchBody, 'include'>

/** Schema for the body of `POST /context/explain/{contextId}`. */
export const explainBodySchema: z.ZodType<ExplainBody> = objectSchema({ prompt: PROMPT, ...SEARCH_SETTINGS })

/** Maximum number of contexts of one search. */
const MAX_CONTEXTS = 100
const CONTEXT_IDS = listSchema(idSchema(), MAX_CONTEXTS)
  .refine((ids) => ids.length > 0, { error: 'must have at least 1 element' })
  .meta({ minItems: 1 })

/** The body of a search of several contexts over HTTP. */
export interface SearchAllBody extends SearchBody {
  /** 1 to 100 ids. An id that is there twice counts once. */
  readonly contextIds: readonly number[]
}

/** Schema for the body of `POST /context/relevant-docs`. */
export const searchAllBodySchema: z.ZodType<SearchAllBody> = objectSchema({ contextIds: CONTEXT_IDS, ...BODY })

/** By options that are checked: the text of their call. */
const checked = new WeakMap<object, string>()

/**
 * Marks the options of a call whose body a schema of this module has checked: the call does not check them again.
 *
 * @param text the prompt or the question of the call, which the schema has checked too
 */
export function checkedOptions<Options extends object>(text: string, options: Options): Readonly<Options> {
  checked.set(options, text)
  return Object.freeze(options)
}

export function isChecked(text: unknown, options: unknown): boolean {
  return typeof text === 'string' && typeof options === 'object' && options !== null && checked.get(options) === text
}

/** @throws InvalidInputError */
export function parseSearch(prompt: string, options: SearchOptions): SearchOptions & { readonly prompt: string } {
  requireShortHistory(options)
  if (isChecked(prompt, options)) return { prompt, ...options, filter: composedFilter(options.filter) }
  const { filter, ...settings } = validate(OPTIONS, options)
  // A copy: the search reads the filter several times.
  const own = composedFilter(structuredClone(filter))
  return { prompt: validate(PROMPT, prompt, 'prompt'), ...settings, filter: own }
}

/** Maximum length of a history in UTF-16 units. */
const MAX_HISTORY_LENGTH = 1_000_000

/** Before the other checks, which read each character. @throws InvalidInputError */
export function requireShortHistory(options: unknown): void {
  const { history } = (options ?? {}) as { readonly history?: unknown }
  if (!Array.isArray(history)) return
  let length = 0
  for (const message of history as readonly ({ readonly content?: unknown } | null | undefined)[]) {
    if (typeof message?.content === 'string') length += message.content.length
    if (length > MAX_HISTORY_LENGTH) {
      throw new InvalidInputError('history', `must have at most ${MAX_HISTORY_LENGTH} UTF-16 units together`)
    }
  }
}

/** A checked search of several contexts. */
export interface SearchAllInput extends SearchOptions {
  /** Without duplicates. */
  readonly contextIds: readonly number[]
  readonly prompt: string
}

/** @throws InvalidInputError */
export function parseSearchAll(contextIds: unknown, prompt: string, options: SearchOptions): SearchAllInput {
  const ids = validate(CONTEXT_IDS, contextIds, 'contextIds')
  return { contextIds: [...new Set(ids)], ...parseSearch(prompt, options) }
}

/** Nonsense has less. */
export const DEFAULT_MIN_EVIDENCE = 1

/** A search of one context, with checked options and the settings of the context. */
export interface SearchRequest {
  readonly prompt: string
  /** The messages before the prompt, the oldest first. */
  readonly history: readonly HistoryMessage[] | undefined
  readonly words: WordMatching | undefined
  /** Minimum evidence that the documents answer the prompt, 0 to 1. */
  readonly minEvidence: number
  readonly mode: SearchMode
  readonly taker: TurnTaker
  readonly signal: AbortSignal | undefined
  readonly topN: number
  readonly scoreThreshold: number
  /** The filter that documents must pass. Default: none. */
  readonly filter: DocumentFilter | undefined
  /** Chunks that count once: see `Repeats`. False for none. */
  readonly collapse: RepeatKind | false
  /** Limit for the texts of all results together, in bytes of UTF-8. Default: no limit. */
  readonly maxBytes: number | undefined
  /** Default: the search prepares the prompt itself. */
  readonly prepared?: PreparedPrompt
}

/** The inputs that the searches of several contexts for one prompt share. */
export interface PreparedPrompt extends ReadPrompt, EmbeddedPrompt {
  /** Statistics of the words of all contexts together. Default: those of the context. */
  readonly statistics?: LexicalStatistics | undefined
  /** Maximum number of windows that the search of one context embeds, unless one chunk has more. Default: 128. */
  readonly maxEmbeddedWindows?: number
}

/** @returns the mode of a search in a context */
export function modeOf(context: ContextRecord, { mode }: Pick<SearchOptions, 'mode'>): SearchMode {
  return mode ?? context.searchMode
}

/** @returns a request with the checked options of a call, and the settings of the context where they are missing */
export function requestFor(
  context: ContextRecord,
  input: SearchOptions & { readonly prompt: string },
  taker: TurnTaker,
  repeats: RepeatKind = 'overlaps',
): SearchRequest {
  return {
    prompt: input.prompt,
    history: input.history,
    words: input.words,
    minEvidence: input.minEvidence ?? DEFAULT_MIN_EVIDENCE,
    mode: modeOf(context, input),
    topN: input.topN ?? context.topN,
    scoreThreshold: input.scoreThreshold ?? context.scoreThreshold,
    filter: input.filter,
    collapse: input.collapse === false ? false : repeats,
    taker,
    signal: input.signal,
    maxBytes: undefined,
  }
}
