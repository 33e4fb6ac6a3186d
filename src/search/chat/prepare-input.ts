import { z } from 'zod'
import {
  choiceSchema,
  closedObjectSchema,
  integerSchema,
  objectSchema,
  signalSchema,
  validate,
} from '../../kernel/validate.js'
import type { HistoryMessage } from '../history-words.js'
import { isChecked, PROMPT, requireShortHistory, SEARCH_SETTINGS, type SearchSettings } from '../search-input.js'

/** Maximum number of tokens of a prompt if the caller says nothing: it leaves room in the windows of small models. */
const DEFAULT_MAX_TOKENS = 8_000
/** Tokens for passages and history that a long question has all the same if the caller says nothing. */
const DEFAULT_ROOM = 4_000

/** @param least tokens of the instructions, the tools and the question: a question of any length gets a prompt */
export function defaultMaxTokens(least: number): number {
  return Math.max(DEFAULT_MAX_TOKENS, least + DEFAULT_ROOM)
}

/** The kinds of passages of a prompt. */
export const PASSAGE_KINDS = ['windows', 'chunks'] as const

export type PassageKind = (typeof PASSAGE_KINDS)[number]

/** The members that a call and a request over HTTP have in common. */
interface PrepareSettings extends SearchSettings {
  /**
   * Earlier messages of the chat, the oldest first: at most 1,000, with 1,000,000 UTF-16 units together. If they do not
   * fit, the oldest are left out. Without `prompt`, the search uses words of the user's last four. Default: none.
   */
  readonly history?: readonly HistoryMessage[] | undefined
  /**
   * Maximum number of tokens of messages and tools together, 1 to 10,000,000: the model's window less the room for its
   * answer. Default: 8,000, or 4,000 more than instructions, tools and question need if that is more.
   */
  readonly maxTokens?: number | undefined
  /**
   * `windows`: the parts of chunks that answer best, as many as the budget allows. `chunks`: whole chunks, the `topN` best.
   * Default: `windows`, of as many chunks as may fill the budget, unless `topN` limits them.
   */
  readonly passages?: PassageKind | undefined
  /**
   * The text to search for, 1 to 32,768 characters, such as a complete question that a model wrote. The history does not
   * change its search. Default: the question, together with words of the history.
   */
  readonly prompt?: string | undefined
}

export interface PrepareOptions extends PrepareSettings {
  /**
   * Counts the tokens of a text as the model that gets the prompt counts them. Default: an estimate, which is seldom too
   * low. The embedding model's tokenizer would be wrong here: it counts the tokens of another model.
   */
  readonly countTokens?: ((text: string) => number | Promise<number>) | undefined
  /** Aborts the call, which then rejects with the signal's reason. Default: no signal. */
  readonly signal?: AbortSignal | undefined
}

/** The body of `POST /context/prepare/{contextId}`. */
export interface PrepareBody extends PrepareSettings {
  /** 1 to 32,768 characters, not blank. */
  readonly question: string
}

const SETTINGS = {
  ...SEARCH_SETTINGS,
  maxTokens: integerSchema({ min: 1, max: 10_000_000 }).optional(),
  passages: choiceSchema(PASSAGE_KINDS)
    .meta({ description: 'The best windows of chunks (default), or whole chunks' })
    .optional(),
  prompt: PROMPT.optional(),
}

/** Schema for the body of `POST /context/prepare/{contextId}`. */
export const prepareBodySchema: z.ZodType<PrepareBody> = objectSchema({ question: PROMPT, ...SETTINGS })

const COUNTER = z.custom<NonNullable<PrepareOptions['countTokens']>>((value) => typeof value === 'function', {
  error: 'must be a function that returns the number of tokens of a text',
})

const OPTIONS = closedObjectSchema({
  ...SETTINGS,
  countTokens: COUNTER.optional(),
  signal: signalSchema().optional(),
})

/** @throws InvalidInputError */
export function parsePrepare(
  question: string,
  options: PrepareOptions,
): PrepareOptions & { readonly question: string } {
  requireShortHistory(options)
  if (isChecked(question, options)) return { question, ...options }
  const parsed = validate(OPTIONS, options)
  return { ...parsed, filter: structuredClone(parsed.filter), question: validate(PROMPT, question, 'question') }
}
