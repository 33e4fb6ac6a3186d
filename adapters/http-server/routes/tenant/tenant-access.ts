import { z } from 'zod'
import { listQuerySchema, newTenantApiKeySchema } from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'
import { json, noContent, secretJson, streamList } from '../../answers.js'
import { type Route, route } from '../../route.js'
import { problemAnswer } from '../../schemas/problems.js'
import { apiKeySchema, apiKeyWithSecretSchema, companySchema, listedRoleSchema } from '../../schemas/tenancy.js'

const COMMON = { api: 'tenant', access: 'tenant' } as const

/** The companies, roles and API keys that a caller manages. */
export const TENANT_ACCESS_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'GET',
    path: '/tenant/companies',
    operationId: 'listCompanies',
    summary: "List the token's company and the companies below it",
    query: listQuerySchema,
    answers: {
      200: { description: 'The companies, ordered by id', schema: z.array(companySchema), hasNextLink: true },
    },
    handle: async (call, { companies }) => await streamList(call, await companies.page(call.query)),
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/tenant/roles',
    operationId: 'listRoles',
    summary: "List the system-wide roles, and those of the token's company and the companies below it",
    answers: { 200: { description: 'The roles, ordered by id', schema: z.array(listedRoleSchema) } },
    handle: async (_call, { roles }) => json(await roles.list()),
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/tenant/keys',
    operationId: 'listApiKeys',
    summary: "List the API keys of the token's company and the companies below it",
    query: listQuerySchema,
    answers: {
      200: {
        description: 'The keys without their secrets, revoked ones too, ordered by id',
        schema: z.array(apiKeySchema),
        hasNextLink: true,
      },
    },
    handle: async (call, { apiKeys }) => await streamList(call, await apiKeys.page(call.query)),
  }),
  route({
    ...COMMON,
    method: 'POST',
    path: '/tenant/keys',
    operationId: 'createApiKey',
    summary: 'Create an API key; its secret is in this answer only',
    description:
      'The key acts for the user `userId`, or without one for a new service user with the role Administrator. It gives no ' +
      'right that the caller does not have, no context of another person, and no application that is not one of the ' +
      "caller's own API key: otherwise the answer is 403. `sight` is `user` for a key with a " +
      "`userId` unless you say otherwise, and the caller's own sight for a service user.",
    body: newTenantApiKeySchema,
    answers: {
      201: { description: 'The key with its secret', schema: apiKeyWithSecretSchema },
      409: problemAnswer('The company has reached its limit of API keys or users'),
    },
    handle: async ({ body }, { apiKeys }) => secretJson(await apiKeys.create(body), 201),
  }),
  route({
    ...COMMON,
    method: 'DELETE',
    path: '/tenant/keys/{id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key and its access tokens at once',
    params: objectSchema({ id: idSchema() }),
    answers: { 204: { description: 'The key is revoked' } },
    handle: async ({ params }, { apiKeys }) => {
      await apiKeys.revoke(params.id)
      return noContent()
    },
  }),
]
