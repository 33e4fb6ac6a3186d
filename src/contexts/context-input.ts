import { z } from 'zod'
import {
  booleanSchema,
  choiceSchema,
  closedObjectSchema,
  fractionSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
  utf8Schema,
  validate,
} from '../kernel/validate.js'
import { SEARCH_MODES, type SearchMode } from '../ports/index.js'
import { validateToolsJson } from './tools-json.js'

/** What `contexts.create` takes (specification, Create context). */
export interface NewContext {
  readonly name: string
  /** System instructions. */
  readonly description: string
  readonly caption: string
  /** A JSON array of tool definitions as a string, at most 1,048,576 bytes in UTF-8; `[]` for none. */
  readonly toolsJson: string
  /** Written from name, caption and description when omitted. */
  readonly starterPrompts?: readonly string[] | undefined
  /** How documents are cut and searched; fixed once the context exists, but for the search's settings. */
  readonly settings?: ContextSettings
}

/** Settings beyond the specification; each has the specification's sample value as default. */
export interface ContextSettings {
  /** Default `all-MiniLM-L6-v2`. */
  readonly embeddingModel?: string
  /** Most bytes of all documents together; default 104,857,600. */
  readonly maxSizeBytes?: number
  /** Chunks that a search returns, 1 to 100; default 5. */
  readonly topN?: number
  /** Least similarity of a result, 0 to 1; default 0. */
  readonly scoreThreshold?: number
  /** Most tokens in a chunk, 16 to 8,192; default 1,000. */
  readonly chunkSizeTokens?: number
  /** Part of a chunk that the next one repeats, 0 to under 1; default 0.2. */
  readonly overlap?: number
  /** How a search finds chunks where it does not say so itself; default `hybrid`: by words and meaning together. */
  readonly searchMode?: SearchMode
  /** Whether a document can be found by its words while its vectors are still computed; default true. */
  readonly findsEarly?: boolean
}

/** What `contexts.update` takes. Tools and starter prompts stay as they are when omitted. */
export interface ContextChanges {
  readonly name: string
  readonly description: string
  readonly caption: string
  readonly toolsJson?: string | undefined
  readonly starterPrompts?: readonly string[] | undefined
  /** Only what a search uses can change. */
  readonly settings?: Pick<ContextSettings, 'topN' | 'scoreThreshold' | 'maxSizeBytes' | 'searchMode' | 'findsEarly'>
}

const NAME = textSchema({ min: 1, max: 255 })
const DESCRIPTION = textSchema({ max: 100_000 })
const CAPTION = textSchema({ max: 1_000 })
const TOOLS_JSON = utf8Schema({ maxBytes: 1_048_576 })
const STARTER_PROMPTS = listSchema(textSchema({ min: 1, max: 1_000 }), 50)
const MAX_SIZE_BYTES = integerSchema({ min: 1 })
const TOP_N = integerSchema({ min: 1, max: 100 })
const SCORE_THRESHOLD = fractionSchema({ min: 0, max: 1 })
const SEARCH_MODE = choiceSchema(SEARCH_MODES)
const FINDS_EARLY = booleanSchema()

const NEW_CONTEXT = objectSchema({
  name: NAME,
  description: DESCRIPTION,
  caption: CAPTION,
  toolsJson: TOOLS_JSON,
  starterPrompts: STARTER_PROMPTS.optional(),
  settings: closedObjectSchema({
    embeddingModel: textSchema({ min: 1, max: 255 }).optional(),
    maxSizeBytes: MAX_SIZE_BYTES.default(104_857_600),
    topN: TOP_N.default(5),
    scoreThreshold: SCORE_THRESHOLD.default(0),
    chunkSizeTokens: integerSchema({ min: 16, max: 8_192 }).default(1_000),
    overlap: fractionSchema({ min: 0, max: 1, isBelow: true }).default(0.2),
    searchMode: SEARCH_MODE.default('hybrid'),
    findsEarly: FINDS_EARLY.default(true),
  }).prefault({}),
})

const FIXED = z
  .undefined({ error: 'cannot change: the documents are cut and embedded by it; make a new context' })
  .optional()

const CONTEXT_CHANGES = objectSchema({
  name: NAME,
  description: DESCRIPTION,
  caption: CAPTION,
  toolsJson: TOOLS_JSON.optional(),
  starterPrompts: STARTER_PROMPTS.optional(),
  settings: closedObjectSchema({
    maxSizeBytes: MAX_SIZE_BYTES.optional(),
    topN: TOP_N.optional(),
    scoreThreshold: SCORE_THRESHOLD.optional(),
    searchMode: SEARCH_MODE.optional(),
    findsEarly: FINDS_EARLY.optional(),
    embeddingModel: FIXED,
    chunkSizeTokens: FIXED,
    overlap: FIXED,
  }).prefault({}),
})

/** The body of `POST /context`: a new context without the settings beyond the specification. */
export const contextBodySchema: z.ZodType<Omit<NewContext, 'settings'>> = NEW_CONTEXT.omit({ settings: true })

/** The body of `PUT /context/{contextId}`. */
export const contextChangesBodySchema: z.ZodType<Omit<ContextChanges, 'settings'>> = CONTEXT_CHANGES.omit({
  settings: true,
})

/** A {@link NewContext} with the defaults filled in. */
interface ParsedNewContext extends Pick<NewContext, 'name' | 'description' | 'caption' | 'toolsJson'> {
  readonly starterPrompts?: readonly string[] | undefined
  readonly settings: Required<Omit<ContextSettings, 'embeddingModel'>> & {
    readonly embeddingModel?: string | undefined
  }
}

/** A {@link ContextChanges} that was checked. */
interface ParsedContextChanges extends Pick<ContextChanges, 'name' | 'description' | 'caption'> {
  readonly toolsJson?: string | undefined
  readonly starterPrompts?: readonly string[] | undefined
  readonly settings: {
    readonly [Name in keyof NonNullable<ContextChanges['settings']>]: ContextSettings[Name] | undefined
  }
}

/** @throws InvalidInputError */
export function parseNewContext(input: unknown): ParsedNewContext {
  const context = validate(NEW_CONTEXT, input)
  validateToolsJson(context.toolsJson)
  return context
}

/** @throws InvalidInputError */
export function parseContextChanges(input: unknown): ParsedContextChanges {
  const changes = validate(CONTEXT_CHANGES, input)
  if (changes.toolsJson !== undefined) validateToolsJson(changes.toolsJson)
  return changes
}
