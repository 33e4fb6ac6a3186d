import { z } from 'zod'
import { listQuerySchema, newUserSchema } from '../../../src/index.js'
import { idSchema, objectSchema } from '../../../src/ports/index.js'
import { json, noContent } from '../answers.js'
import { type Route, route } from '../route.js'
import { limitAnswer, problemSchema, userSchema } from '../schemas.js'
import { streamList } from '../stream-list.js'

const COMMON = { api: 'tenant', access: 'tenant' } as const
const THROTTLED = {
  429: {
    description: 'Too many mails in an hour, to the address, for the company or in all; nothing was done',
    schema: problemSchema,
    contentType: 'application/problem+json',
  },
}
const USERS = {
  200: { description: 'Users with their permissions, by id', schema: z.array(userSchema), hasNextLink: true },
}

/** Users of companies (specification, Tenant API). */
export const USER_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    path: '/tenant/users',
    operationId: 'listUsers',
    summary: "List the users of the token's company",
    query: listQuerySchema,
    answers: USERS,
    handle: async (call, { users }) => await streamList(call, await users.page(undefined, call.query)),
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/tenant/users/{cid}',
    operationId: 'listUsersOfCompany',
    summary: 'List the users of a company',
    params: objectSchema({ cid: idSchema() }),
    query: listQuerySchema,
    answers: USERS,
    handle: async (call, { users }) => await streamList(call, await users.page(call.params.cid, call.query)),
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: '/tenant/user',
    operationId: 'addUser',
    summary: 'Add a user, and invite them by mail',
    body: newUserSchema,
    answers: {
      201: { description: 'The user', schema: userSchema },
      409: limitAnswer('The company has as many users as it may'),
      ...THROTTLED,
    },
    handle: async ({ body }, { users }) => json(await users.add(body), 201),
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: '/tenant/user/init',
    operationId: 'reinitiateUser',
    summary: 'Send the invitation once more',
    body: objectSchema({ id: idSchema() }),
    answers: { 204: { description: 'It is sent' }, ...THROTTLED },
    handle: async ({ body }, { users }) => {
      await users.reinitiate(body.id)
      return noContent()
    },
  }),
  route({
    ...COMMON,
    method: 'DELETE',
    path: '/tenant/user/{id}',
    operationId: 'deleteUser',
    summary: 'Delete a user, with all rights, keys and links; their contexts stay',
    params: objectSchema({ id: idSchema() }),
    answers: {
      204: { description: 'The user is gone' },
      409: {
        description: 'Nobody could manage a company afterwards, or the installation needs the user',
        schema: problemSchema,
        contentType: 'application/problem+json',
      },
    },
    handle: async ({ params }, { users }) => {
      await users.delete(params.id)
      return noContent()
    },
  }),
]
