import { z } from 'zod'
import {
  type ContextSettingsView,
  DEFAULT_MAX_SIZE_BYTES,
  InvalidInputError,
  settingsBodySchema,
} from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'
import { json } from '../../answers.js'
import { type Route, route } from '../../route.js'
import { contextLanguagesSchema } from '../../schemas/context-languages.js'
import { failureFields, waitFields } from '../../schemas/fields.js'

const CHUNK_SETTINGS = {
  embeddingModel: z.string(),
  chunkSizeTokens: z.int().meta({ description: 'The most tokens of a chunk' }),
  overlap: z.number().meta({ description: 'Fraction of a chunk that the next chunk repeats' }),
}

const settingsSchema: z.ZodType<ContextSettingsView> = z
  .object({
    ...CHUNK_SETTINGS,
    maxSizeBytes: z.int().meta({ description: 'The most bytes of all documents together' }),
    topN: z.int(),
    scoreThreshold: z.number(),
    searchMode: z.literal(['hybrid', 'semantic', 'keyword']),
    findsEarly: z.boolean(),
    reindexing: z
      .object({
        ...CHUNK_SETTINGS,
        documentsDone: z.int().min(0),
        documentsTotal: z.int().min(0),
        ...failureFields(
          'Null, or the reason why the re-index has stopped: one sentence that ends with the error code',
        ),
        ...waitFields('the re-index waits, because the server of the new model is away'),
      })
      .meta({ id: 'ContextReindexing' })
      .nullable()
      .meta({ description: 'The re-index in progress with its new settings; null if there is none' }),
  })
  .meta({ id: 'ContextSettings' })

const COMMON = { api: 'assistant', access: 'assistant', path: '/context/settings/{contextId}' } as const
const CONTEXT = objectSchema({ contextId: idSchema() })

/** All settings of contexts, also those that the specification's context does not have. */
export const CONTEXT_SETTINGS_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    operationId: 'getContextSettings',
    summary: 'Get all settings of a context, and the progress of its re-index',
    params: CONTEXT,
    answers: { 200: { description: 'The settings', schema: settingsSchema } },
    handle: async ({ params }, { contexts }) => json(await contexts.settings(params.contextId)),
  }),
  route({
    ...COMMON,
    path: '/context/languages/{contextId}',
    method: 'GET',
    operationId: 'getContextLanguages',
    summary: 'Get the languages of the documents of a context, and which of them its model knows',
    params: CONTEXT,
    answers: { 200: { description: 'The languages', schema: contextLanguagesSchema } },
    handle: async ({ params }, { contexts }) => json(await contexts.languages(params.contextId)),
  }),
  route({
    ...COMMON,
    method: 'PUT',
    operationId: 'updateContextSettings',
    summary: 'Change settings of a context',
    description:
      'A setting that is left out stays as it is. Another `embeddingModel`, `chunkSizeTokens` or `overlap` starts a ' +
      're-index: `reindexing` shows its progress. Searches, uploads and changes of documents go on with the present ' +
      'settings. The new ones apply to all documents at once, when all are re-indexed. `reindexing: null` or the present ' +
      'settings cancel a re-index, other ones replace it, and the same ones try again what failed. So send only the ' +
      'settings that change. `maxSizeBytes` can be at most 104,857,600 or its present value: the host alone gives more.',
    params: CONTEXT,
    body: settingsBodySchema,
    answers: { 200: { description: 'The settings after the change', schema: settingsSchema } },
    handle: async ({ params: { contextId }, body }, { contexts }) => {
      if (body.maxSizeBytes !== undefined) requireSize(body.maxSizeBytes, await contexts.settings(contextId))
      await contexts.update(contextId, { settings: body })
      return json(await contexts.settings(contextId))
    },
  }),
]

/** The host decides how much a tenant may store. @throws InvalidInputError if a client wants more than that */
function requireSize(wanted: number, { maxSizeBytes }: ContextSettingsView): void {
  const most = Math.max(DEFAULT_MAX_SIZE_BYTES, maxSizeBytes)
  if (wanted <= most) return
  throw new InvalidInputError('maxSizeBytes', `must be at most ${most}: only the host can raise it`)
}
