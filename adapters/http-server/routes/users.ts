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
    description: 'Too many mails in an hour: to the address, for the company or for all; nothing was done',
    schema: problemSchema,
    contentType: 'application/problem+json',
  },
}
const USERS = {
  200: { description: 'Users with their permissions, ordered by id', schema: z.array(userSchema), hasNextLink: true },
}

/** Users of companies. Specification: Tenant API. */
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
    summary: 'Add a user and send an invitation by mail',
    body: newUserSchema,
    answers: {
      201: { description: 'The user', schema: userSchema },
      409: limitAnswer('The company has reached its limit of users'),
      ...THROTTLED,
    },
    handle: async ({ body }, { users }) => json(await users.add(body), 201),
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: '/tenant/user/init',
    operationId: 'reinitiateUser',
    summary: 'Send the invitation a second time',
    body: objectSchema({ id: idSchema() }),
    answers: { 204: { description: 'The invitation is sent' }, ...THROTTLED },
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
    summary: 'Delete a user with all permissions, API keys and links; contexts stay',
    params: objectSchema({ id: idSchema() }),
    answers: {
      204: { description: 'The user is deleted' },
      409: {
        description: 'A company would have no user left who can manage it, or the user is the owner',
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
