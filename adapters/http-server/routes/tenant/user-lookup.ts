import { NotFoundError } from '../../../../src/index.js'
import { idSchema, objectSchema, textSchema } from '../../../../src/ports/index.js'
import { json } from '../../answers.js'
import { type Route, route } from '../../route.js'
import { userDetailsSchema } from '../../schemas/tenancy.js'

const COMMON = { api: 'tenant', access: 'tenant', method: 'GET' } as const
const USER = { 200: { description: 'The user with its permissions', schema: userDetailsSchema } }

/** Look-ups of single users. */
export const USER_LOOKUP_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    path: '/tenant/user',
    operationId: 'findUser',
    summary: 'Find a user of a company by its address, or by the id that the host gave it',
    query: objectSchema({
      email: textSchema({ max: 320 }).optional().meta({ description: 'In any spelling of the address' }),
      externalId: textSchema({ max: 255 }).optional().meta({ description: 'Character by character' }),
      cid: idSchema().optional().meta({ description: "The company of the user. Default: the caller's own" }),
    }),
    answers: USER,
    handle: async ({ query: { cid, ...query } }, { users }) => {
      const user = await users.find({ ...query, companyId: cid })
      if (user === undefined) throw new NotFoundError('user', query.externalId ?? query.email ?? '')
      return json(user)
    },
  }),
  route({
    ...COMMON,
    path: '/tenant/user/{id}',
    operationId: 'getUser',
    summary: 'Get a user',
    params: objectSchema({ id: idSchema() }),
    answers: USER,
    handle: async ({ params }, { users }) => json(await users.get(params.id)),
  }),
]
