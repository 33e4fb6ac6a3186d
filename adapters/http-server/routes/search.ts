import { z } from 'zod'
import { explainBodySchema, searchAllBodySchema } from '../../../src/index.js'
import { idSchema, objectSchema } from '../../../src/ports/index.js'
import { json, streamList } from '../answers.js'
import { explanationSchema } from '../explanation-schema.js'
import { LARGE_BODY_BYTES } from '../read-body.js'
import { type Route, route } from '../route.js'
import { contextSearchAnswers, contextSearchResultSchema, problemSchema, throttledAnswer } from '../schemas.js'
import { refuseSlowly } from './assistant.js'

const COMMON = { api: 'assistant', access: 'assistant', method: 'POST', maxBodyBytes: LARGE_BODY_BYTES } as const

/** Searches beyond the specification. They come before `/context/{contextId}`, whose pattern matches their paths too. */
export const SEARCH_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    path: '/context/relevant-docs',
    operationId: 'searchContexts',
    summary: 'Find the chunks of several contexts that answer a prompt',
    description:
      'Takes 1 to 100 `contextIds`. The other members are those of the search of one context, and the settings of each ' +
      'context apply where they are missing. `topN` limits the results of all contexts together; default: the largest ' +
      '`topN` of the contexts. Contexts with the same model and mode give the results of one context with all their ' +
      'documents. Contexts with different models or modes take turns.',
    body: searchAllBodySchema,
    isBodyClosed: true,
    answers: {
      200: { description: 'Chunks, the highest `score` first', schema: z.array(contextSearchResultSchema) },
      404: {
        description: 'One of the contexts does not exist, or the caller may not read it',
        schema: problemSchema,
        contentType: 'application/problem+json',
      },
      429: throttledAnswer(
        'The API key or its company runs too many searches, or sends too many long bodies, at the same time',
      ),
    },
    handle: async (call, session) => {
      const { body, request } = call
      const { contextIds, prompt, include, ...settings } = body
      const options = { ...settings, signal: request.signal }
      const found = await session.searchAllEntries(contextIds, prompt, options).catch(refuseSlowly)
      const answers = contextSearchAnswers(found, include)
      return 'length' in answers ? json(answers) : await streamList(call, { items: answers, nextAfter: null })
    },
  }),
  route({
    ...COMMON,
    path: '/context/explain/{contextId}',
    operationId: 'explainSearch',
    summary: 'Explain what a search finds, or why it finds nothing',
    description:
      'Takes the body of a search of one context, without `include`. Costs about as much as two searches. The first of ' +
      '`reasons` is the likeliest cause of an empty or short answer.',
    params: objectSchema({ contextId: idSchema() }),
    body: explainBodySchema,
    isBodyClosed: true,
    answers: {
      200: { description: 'The explanation', schema: explanationSchema },
      429: throttledAnswer(
        'The API key or its company runs too many searches, or sends too many long bodies, at the same time',
      ),
    },
    handle: async ({ params, body, request }, session) => {
      const { prompt, ...settings } = body
      const options = { ...settings, signal: request.signal }
      return json(await session.explain(params.contextId, prompt, options).catch(refuseSlowly))
    },
  }),
]
