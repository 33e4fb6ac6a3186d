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
import { type ChunkSettings, type ContextRecord, SEARCH_MODES, type SearchMode } from '../ports/index.js'
import { parseTools } from './tool.js'

/** The input of `contexts.create`. Specification: Create context. */
export interface NewContext {
  readonly name: string
  /** System instructions. */
  readonly description: string
  readonly caption: string
  /**
   * The tools of the context: the JSON of a {@link Tool} array as a string, at most 1,048,576 bytes in UTF-8; `[]` for
   * none. `JSON.stringify(tools satisfies Tool[])` makes it, and {@link toolsOf} reads it.
   */
  readonly toolsJson: string
  /** When omitted, the engine writes them from name, caption and description. */
  readonly starterPrompts?: readonly string[] | undefined
  /** For cutting and searching documents. */
  readonly settings?: ContextSettings
}

/** Settings beyond the specification. Specification: Context, which has the defaults. */
export interface ContextSettings {
  /** Default `all-MiniLM-L6-v2`. */
  readonly embeddingModel?: string
  /** Limit for all documents together, in bytes; default 104,857,600. */
  readonly maxSizeBytes?: number
  /** Chunks that a search returns, 1 to 100; default 5. */
  readonly topN?: number
  /** Lowest similarity of a result, 0 to 1; default 0. */
  readonly scoreThreshold?: number
  /** Most tokens in a chunk, 16 to 8,192; default 1,000. */
  readonly chunkSizeTokens?: number
  /** Fraction of a chunk that the next chunk repeats, from 0 to less than 1; default 0.2. */
  readonly overlap?: number
  /** Mode of a search that names none; default `hybrid`: by words and meaning together. */
  readonly searchMode?: SearchMode
  /** True where a search finds a document by its words while its vectors are still computed; default true. */
  readonly findsEarly?: boolean
}

/** The input of `contexts.update`. An omitted member stays as it is. */
export interface ContextChanges {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly caption?: string | undefined
  /** The JSON of a {@link Tool} array as a string. It replaces all tools; `[]` removes them. */
  readonly toolsJson?: string | undefined
  readonly starterPrompts?: readonly string[] | undefined
  /**
   * Another `embeddingModel`, `chunkSizeTokens` or `overlap` starts a re-index: the documents are cut and embedded a
   * second time, while searches go on with the present settings. All change at once when it is finished.
   * `reindexing: null` cancels the re-index in progress.
   */
  readonly settings?: ContextSettings & { readonly reindexing?: null }
}

/** Limit for all documents of a context together, unless its settings say otherwise. Specification: Context. */
export const DEFAULT_MAX_SIZE_BYTES: number = 104_857_600

const NAME = textSchema({ min: 1, max: 255 })
const DESCRIPTION = textSchema({ max: 100_000 })
const CAPTION = textSchema({ max: 1_000 })
const TOOLS_JSON = utf8Schema({ maxBytes: 1_048_576 }).meta({
  description:
    'The tools of the context: a JSON array of tool definitions as a string, at most 1,048,576 bytes in UTF-8; `[]` for ' +
    'none. Each has `id` (integer), `name` (a function name), `description`, `action` (`Run Agent`), `agentId` (integer) ' +
    'and, optionally, `parameters`: an array of `{ paramName, type, required, description }`, where `type` is `string`, ' +
    '`integer` or `boolean`',
  examples: [
    '[{"id":1,"name":"book_room","description":"Books a meeting room","action":"Run Agent","agentId":7,' +
      '"parameters":[{"paramName":"seats","type":"integer","required":true,"description":"Number of seats"}]}]',
  ],
})
const STARTER_PROMPTS = listSchema(textSchema({ min: 1, max: 1_000 }), 50)
const EMBEDDING_MODEL = textSchema({ min: 1, max: 255 })
const CHUNK_SIZE_TOKENS = integerSchema({ min: 16, max: 8_192 })
const OVERLAP = fractionSchema({ min: 0, max: 1, isBelow: true })

/** The settings whose change is a re-index. */
const CHUNK_SETTINGS = {
  embeddingModel: EMBEDDING_MODEL.optional(),
  chunkSizeTokens: CHUNK_SIZE_TOKENS.optional(),
  overlap: OVERLAP.optional(),
}

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
    embeddingModel: EMBEDDING_MODEL.optional(),
    maxSizeBytes: MAX_SIZE_BYTES.default(DEFAULT_MAX_SIZE_BYTES),
    topN: TOP_N.default(5),
    scoreThreshold: SCORE_THRESHOLD.default(0),
    chunkSizeTokens: CHUNK_SIZE_TOKENS.default(1_000),
    overlap: OVERLAP.default(0.2),
    searchMode: SEARCH_MODE.default('hybrid'),
    findsEarly: FINDS_EARLY.default(true),
  }).prefault({}),
})

/** The input of `administration.reindexAll`: an omitted setting stays as it is in each context. */
export type NewChunkSettings = { readonly [Name in keyof ChunkSettings]?: ChunkSettings[Name] | undefined }

export const chunkSettingsSchema: z.ZodType<NewChunkSettings> = closedObjectSchema(CHUNK_SETTINGS)

const SETTINGS_CHANGES = closedObjectSchema({
  ...CHUNK_SETTINGS,
  reindexing: z
    .null({ error: 'is read only; leave it out, or null cancels the re-index' })
    .optional()
    .meta({
      // With a second type, because types made from the description leave out members that have only null.
      type: ['object', 'null'],
      not: { type: 'object' },
      description: 'Null cancels the re-index in progress; leave it out otherwise',
    }),
  maxSizeBytes: MAX_SIZE_BYTES.optional(),
  topN: TOP_N.optional(),
  scoreThreshold: SCORE_THRESHOLD.optional(),
  searchMode: SEARCH_MODE.optional(),
  findsEarly: FINDS_EARLY.optional(),
})

/** The body of `PUT /context/settings/{contextId}`. An omitted setting stays as it is. */
export const settingsBodySchema: z.ZodType<NonNullable<ContextChanges['settings']>> =
  SETTINGS_CHANGES as unknown as z.ZodType<NonNullable<ContextChanges['settings']>>

const CONTEXT_CHANGES = objectSchema({
  name: NAME.optional(),
  description: DESCRIPTION.optional(),
  caption: CAPTION.optional(),
  toolsJson: TOOLS_JSON.optional(),
  starterPrompts: STARTER_PROMPTS.optional(),
  settings: SETTINGS_CHANGES.prefault({}),
})

/** The body of `POST /context`: a new context without the settings beyond the specification. */
export const contextBodySchema: z.ZodType<Omit<NewContext, 'settings'>> = NEW_CONTEXT.omit({ settings: true })

/** The body of `PUT /context/{contextId}`, which has all texts. Specification: Assistant API. */
export const contextChangesBodySchema: z.ZodType<Omit<ContextChanges, 'settings'>> = CONTEXT_CHANGES.omit({
  settings: true,
}).required({ name: true, description: true, caption: true })

/** A {@link NewContext} with its defaults. */
interface ParsedNewContext extends Pick<NewContext, 'name' | 'description' | 'caption' | 'toolsJson'> {
  readonly starterPrompts?: readonly string[] | undefined
  readonly settings: Required<Omit<ContextSettings, 'embeddingModel'>> & {
    readonly embeddingModel?: string | undefined
  }
}

/** A valid {@link ContextChanges}. */
interface ParsedContextChanges extends Omit<ContextChanges, 'settings'> {
  readonly settings: {
    readonly [Name in keyof NonNullable<ContextChanges['settings']>]:
      | NonNullable<ContextChanges['settings']>[Name]
      | undefined
  }
}

/** @throws InvalidInputError */
export function parseNewContext(input: unknown): ParsedNewContext {
  const context = validate(NEW_CONTEXT, input)
  parseTools(context.toolsJson)
  return context
}

/** @throws InvalidInputError */
export function parseContextChanges(input: unknown): ParsedContextChanges {
  const changes = validate(CONTEXT_CHANGES, input)
  if (changes.toolsJson !== undefined) parseTools(changes.toolsJson)
  return changes
}

/** The given members of a change. */
export function withoutUndefined(
  changes: {
    readonly [Member in keyof ContextRecord]?: ContextRecord[Member] | undefined
  },
): Partial<ContextRecord> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}
