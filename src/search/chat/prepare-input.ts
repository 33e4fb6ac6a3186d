import { z } from 'zod'
import { InvalidInputError } from '../../kernel/errors.js'
import {
  choiceSchema,
  closedObjectSchema,
  integerSchema,
  listSchema,
  objectSchema,
  signalSchema,
  textSchema,
  validate,
} from '../../kernel/validate.js'
import { isChecked, PROMPT, SEARCH_SETTINGS, type SearchSettings } from '../search-input.js'
import type { HistoryMessage } from './chat-prompt.js'

/** Maximum number of tokens of a prompt if the caller says nothing: it leaves room in the windows of small models. */
export const DEFAULT_MAX_TOKENS = 8_000
/** Maximum length of a history in UTF-16 units. */
const MAX_HISTORY_LENGTH = 1_000_000

/** The kinds of passages of a prompt. */
export const PASSAGE_KINDS = ['windows', 'chunks'] as const

export type PassageKind = (typeof PASSAGE_KINDS)[number]

/** The members that a call and a request over HTTP have in common. */
interface PrepareSettings extends SearchSettings {
  /**
   * Earlier messages of the chat, the oldest first: at most 1,000, with 1,000,000 UTF-16 units together. If they do not
   * fit, the oldest are left out. Default: none.
   */
  readonly history?: readonly HistoryMessage[] | undefined
  /**
   * Maximum number of tokens of messages and tools together, 1 to 10,000,000: the model's window less the room for its
   * answer. Default: 8,000.
   */
  readonly maxTokens?: number | undefined
  /**
   * `windows`: the parts of chunks that answer best, as many as the budget allows. `chunks`: whole chunks, the `topN` best.
   * Default: `windows`, of as many chunks as may fill the budget, unless `topN` limits them.
   */
  readonly passages?: PassageKind | undefined
  /**
   * The text to search for, 1 to 32,768 characters: a question such as "And for part-timers?" finds nothing without the
   * chat before it, so let the model write a complete one. Default: the question.
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

const MESSAGE: z.ZodType<HistoryMessage> = objectSchema({
  role: choiceSchema(['user', 'assistant']),
  content: textSchema({ max: 100_000 }),
})

const SETTINGS = {
  ...SEARCH_SETTINGS,
  history: listSchema(MESSAGE, 1_000).optional(),
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

/** Before the other checks, which read each character. */
function requireShortHistory(options: unknown): void {
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
