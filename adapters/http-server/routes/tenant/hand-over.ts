import { z } from 'zod'
import { handOverAllSchema, handOverSchema } from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'
import { json } from '../../answers.js'
import { type Route, route } from '../../route.js'
import { contextSchema } from '../../schemas/contexts.js'
import { id } from '../../schemas/fields.js'
import { problemAnswer } from '../../schemas/problems.js'

const handedOverSchema = z
  .object({ contextIds: z.array(id).meta({ description: 'The contexts that have the new user now' }) })
  .meta({ id: 'HandedOver' })

/** Contexts that get another user. */
export const HAND_OVER_ROUTES: readonly Route[] = [
  route({
    api: 'assistant',
    access: 'assistant',
    method: 'PUT',
    path: '/context/owner/{contextId}',
    operationId: 'handOverContext',
    summary: 'Give a context to another user',
    description:
      'The user needs a role on the account that may read contexts. A private context is visible to that user alone from ' +
      'then on, and to tokens that see the whole account.',
    params: objectSchema({ contextId: idSchema() }),
    body: handOverSchema,
    answers: { 200: { description: 'The context with its new user', schema: contextSchema } },
    handle: async ({ params, body }, { contexts }) => json(await contexts.handOver(params.contextId, body)),
  }),
  route({
    api: 'tenant',
    access: 'tenant',
    method: 'POST',
    path: '/tenant/user/{id}/hand-over',
    operationId: 'handOverContextsOfUser',
    summary: 'Give the contexts of a disabled or deleted user to another user',
    description:
      'Gives the contexts on all accounts that the caller manages, or on one of them. Either all of these contexts get the ' +
      'new user, or none.',
    params: objectSchema({ id: idSchema() }),
    body: handOverAllSchema,
    answers: {
      200: { description: 'The contexts', schema: handedOverSchema },
      409: problemAnswer('The user is still active'),
    },
    handle: async ({ params, body }, { users }) => json(await users.handOverContexts(params.id, body)),
  }),
]
