import { z } from 'zod'
import {
  checkedOptions,
  explainBodySchema,
  prepareBodySchema,
  searchAllBodySchema,
  searchBodySchema,
  ThrottledError,
} from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'
import { json, streamList } from '../../answers.js'
import { LARGE_BODY_BYTES } from '../../body-sizes.js'
import { type Call, type Route, route } from '../../route.js'
import { chatPromptSchema } from '../../schemas/chat-prompt.js'
import { explanationSchema } from '../../schemas/explanation.js'
import { problemAnswer, throttledAnswer } from '../../schemas/problems.js'
import {
  contextSearchAnswers,
  contextSearchResultSchema,
  searchAnswers,
  searchResultSchema,
} from '../../schemas/search-results.js'

const COMMON = { api: 'assistant', access: 'assistant', method: 'POST', maxBodyBytes: LARGE_BODY_BYTES } as const
/** An operation of the specification. */
const SPECIFIED = { ...COMMON, isSpecified: true } as const

const CONTEXT = objectSchema({ contextId: idSchema() })
const THROTTLED = {
  429: throttledAnswer(
    'The API key or its company runs too many searches, or sends too many long bodies, at the same time',
  ),
}

/** Searches, that of the specification among them. They come before `/context/{contextId}`, which matches their paths. */
export const SEARCH_ROUTES: readonly Route[] = [
  route({
    ...SPECIFIED,
    path: '/context/relevant-docs/{contextId}',
    operationId: 'searchContext',
    summary: 'Find the chunks that answer a prompt, by words and meaning',
    description:
      '`mode` selects how to find chunks: by words and meaning together (`hybrid`), by meaning alone (`semantic`) or by ' +
      'words alone (`keyword`). `topN` limits the number of results, and `scoreThreshold` their similarity. Default of ' +
      'each: the setting of the context. Words of the user in `history` count a little too. Results have the members `id`, `docId`, `content` and `similarity`. `include` ' +
      'adds `score`, `source`, `match` and `snippet`. Chunks with the same text count once, unless `collapse` is false. A prompt of nonsense gives an empty list, unless `minEvidence` is 0.',
    params: CONTEXT,
    body: searchBodySchema,
    answers: {
      200: { description: 'Chunks, the highest `score` first', schema: z.array(searchResultSchema) },
      ...THROTTLED,
    },
    handle: async (call, session) => {
      const { prompt, include, ...settings } = call.body
      const options = checkedOptions(prompt, { ...settings, signal: call.request.signal })
      const found = await session.searchEntries(call.params.contextId, prompt, options).catch(refuseSlowly)
      return await answer(call, searchAnswers(found, include))
    },
  }),
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
    answers: {
      200: { description: 'Chunks, the highest `score` first', schema: z.array(contextSearchResultSchema) },
      404: problemAnswer('One of the contexts does not exist, or the caller may not read it'),
      ...THROTTLED,
    },
    handle: async (call, session) => {
      const { contextIds, prompt, include, ...settings } = call.body
      const options = checkedOptions(prompt, { ...settings, signal: call.request.signal })
      const found = await session.searchAllEntries(contextIds, prompt, options).catch(refuseSlowly)
      return await answer(call, contextSearchAnswers(found, include))
    },
  }),
  route({
    ...COMMON,
    path: '/context/explain/{contextId}',
    operationId: 'explainSearch',
    summary: 'Explain what a search finds, or why it finds nothing',
    description:
      'Takes the body of a search of one context, without `include`. Costs about as much as two searches. The first of ' +
      '`reasons` is the likeliest cause of an empty or short answer. Needs the capability `context:read` too.',
    params: CONTEXT,
    body: explainBodySchema,
    answers: {
      200: { description: 'The explanation', schema: explanationSchema },
      ...THROTTLED,
    },
    handle: async ({ params, body, request }, session) => {
      const { prompt, ...settings } = body
      const options = checkedOptions(prompt, { ...settings, signal: request.signal })
      return json(await session.explain(params.contextId, prompt, options).catch(refuseSlowly))
    },
  }),
  route({
    ...COMMON,
    path: '/context/prepare/{contextId}',
    operationId: 'preparePrompt',
    summary: 'Make a prompt for a model: instructions, passages for a question, and the question',
    description:
      'Searches for the `question`, or for `prompt` if it is there, and answers with `messages` and `tools` that an API ' +
      "with OpenAI's protocol takes as they are, and with the `sources` to cite. Messages and tools have at most " +
      '`maxTokens` tokens together, by an estimate that is seldom too low; default: 8,000, or 4,000 ' +
      'more than instructions, tools and question need if that is more. If not everything fits, the ' +
      'oldest messages of the `history` and the last passages are left out, never the question. Without `prompt`, words of the `history` count in the search. Passages are the ' +
      'windows of chunks that answer best, in whole sentences; with `passages: "chunks"` they are whole chunks. `mode`, ' +
      '`topN`, `scoreThreshold`, `filter`, `words`, `minEvidence` and `collapse` are those of a search. The call changes nothing.',
    params: CONTEXT,
    body: prepareBodySchema,
    answers: {
      200: { description: 'The prompt', schema: chatPromptSchema },
      ...THROTTLED,
    },
    handle: async ({ params, body, request }, session) => {
      const { question, ...settings } = body
      const options = checkedOptions(question, { ...settings, signal: request.signal })
      return json(await session.prepare(params.contextId, question, options).catch(refuseSlowly))
    },
  }),
]

/** A short answer is sent at once, with its length. */
async function answer<Result>(
  call: Call<unknown, unknown, unknown>,
  results: readonly Result[] | AsyncIterable<Result>,
): Promise<Response> {
  return 'length' in results ? json(results) : await streamList(call, { items: results, nextAfter: null })
}

/** Refusals are delayed, because clients that retry at once would take time from the searches of others. */
const REFUSAL_DELAY_MS = 500

async function refuseSlowly(error: unknown): Promise<never> {
  if (error instanceof ThrottledError) await new Promise((resolve) => setTimeout(resolve, REFUSAL_DELAY_MS))
  throw error
}
