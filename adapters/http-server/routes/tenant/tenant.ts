import { z } from 'zod'
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type AuditPage,
  auditQuerySchema,
  listQuerySchema,
  newPermissionSchema,
  newUserSchema,
  type PermissionOptionsPath,
  permissionChangeSchema,
} from '../../../../src/index.js'
import { ACTOR_KINDS, idSchema, objectSchema } from '../../../../src/ports/index.js'
import { json, noContent, streamList } from '../../answers.js'
import { type Route, route } from '../../route.js'
import { id, timestamp } from '../../schemas/fields.js'
import { companyUsageSchema } from '../../schemas/operator.js'
import { problemAnswer } from '../../schemas/problems.js'
import { permissionOptionsSchema, permissionSchema, userSchema } from '../../schemas/tenancy.js'

const COMMON = { api: 'tenant', access: 'tenant' } as const
/** An operation of the specification. */
const SPECIFIED = { ...COMMON, isSpecified: true } as const
const THROTTLED = {
  429: problemAnswer('Too many mails in an hour: to the address, for the company or for all; nothing was done'),
}
const USERS = {
  200: { description: 'Users with their permissions, ordered by id', schema: z.array(userSchema), hasNextLink: true },
}

/** Users of companies. Specification: Tenant API. */
export const USER_ROUTES: readonly Route[] = [
  route({
    ...SPECIFIED,
    method: 'GET',
    path: '/tenant/users',
    operationId: 'listUsers',
    summary: "List the users of the token's company",
    query: listQuerySchema,
    answers: USERS,
    handle: async (call, { users }) => await streamList(call, await users.page(undefined, call.query)),
  }),
  route({
    ...SPECIFIED,
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
    ...SPECIFIED,
    method: 'POST',
    path: '/tenant/user',
    operationId: 'addUser',
    summary: 'Add a user and send an invitation by mail, unless `invite` is false',
    body: newUserSchema,
    answers: {
      201: { description: 'The user', schema: userSchema },
      409: problemAnswer('The company has reached its limit of users'),
      ...THROTTLED,
    },
    handle: async ({ body }, { users }) => json(await users.add(body), 201),
  }),
  route({
    ...SPECIFIED,
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
      409: problemAnswer('A company would have no user left who can manage it, or the user is the owner'),
    },
    handle: async ({ params }, { users }) => {
      await users.delete(params.id)
      return noContent()
    },
  }),
]

const LAST_MANAGER = {
  409: problemAnswer('The company would have no user left who can manage it'),
}
const PERMISSION_ID = objectSchema({ permId: idSchema() })
const OPTIONS_QUERY = objectSchema({
  cid: idSchema().optional(),
  all: z.boolean({ error: 'must be true or false' }).optional(),
})

/** The steps of the permission options. Each step adds a choice to the path. */
const STEPS = ['type', 'region', 'account'] as const

/** Permissions on accounts. Specification: Tenant API. */
export const PERMISSION_ROUTES: readonly Route[] = [
  ...[0, 1, 2, 3].map((depth) => optionsRoute(STEPS.slice(0, depth))),
  route({
    ...SPECIFIED,
    method: 'POST',
    path: '/permission',
    operationId: 'createPermission',
    summary: 'Give a user a role on an account',
    body: newPermissionSchema,
    answers: { 201: { description: 'The permission', schema: permissionSchema } },
    handle: async ({ body }, { permissions }) => json(await permissions.create(body), 201),
  }),
  route({
    ...SPECIFIED,
    method: 'PUT',
    path: '/permission',
    operationId: 'updatePermission',
    summary: 'Give a permission another role',
    body: permissionChangeSchema,
    answers: { 204: { description: 'The role is changed' }, ...LAST_MANAGER },
    handle: async ({ body }, { permissions }) => {
      await permissions.update(body)
      return noContent()
    },
  }),
  route({
    ...SPECIFIED,
    method: 'PATCH',
    path: '/permission/{permId}',
    operationId: 'togglePermission',
    summary: 'Disable a permission, or enable a disabled one',
    params: PERMISSION_ID,
    answers: { 204: { description: 'The state is changed' }, ...LAST_MANAGER },
    handle: async ({ params }, { permissions }) => {
      await permissions.toggle(params.permId)
      return noContent()
    },
  }),
  route({
    ...SPECIFIED,
    method: 'DELETE',
    path: '/permission/{permId}',
    operationId: 'deletePermission',
    summary: 'Delete a permission',
    params: PERMISSION_ID,
    answers: { 204: { description: 'The permission is deleted' }, ...LAST_MANAGER },
    handle: async ({ params }, { permissions }) => {
      await permissions.delete(params.permId)
      return noContent()
    },
  }),
]

function optionsRoute(steps: readonly (typeof STEPS)[number][]): Route {
  const last = steps.at(-1) ?? ''
  return route<PermissionOptionsPath, { cid?: number; all?: boolean }>({
    ...SPECIFIED,
    method: 'GET',
    path: ['/permission/options', ...steps.map((step) => `{${step}}`)].join('/'),
    operationId: `permissionOptions${last && `By${last[0]?.toUpperCase()}${last.slice(1)}`}`,
    summary: 'List the choices for a new permission, step by step',
    ...(steps.length > 0 && {
      params: objectSchema(Object.fromEntries(steps.map((step) => [step, idSchema()]))),
    }),
    query: OPTIONS_QUERY as z.ZodType<{ cid?: number; all?: boolean }>,
    answers: { 200: { description: 'The choices of this step', schema: permissionOptionsSchema } },
    handle: async ({ params, query: { cid, all } }, { permissions }) =>
      json(
        await permissions.options({
          ...params,
          ...(cid !== undefined && { customerId: cid }),
          ...(all !== undefined && { all }),
        }),
      ),
  })
}

const auditEntry: z.ZodType<AuditEntry> = z
  .object({
    id,
    time: timestamp,
    action: z.enum(Object.keys(AUDIT_ACTIONS) as AuditAction[]),
    outcome: z.enum(['done', 'refused']),
    companyId: id.nullable().meta({ description: 'The company that the entry concerns; null for none or all' }),
    actor: z.object({ kind: z.enum(ACTOR_KINDS), userId: id.nullable() }),
    clientId: z
      .string()
      .nullable()
      .meta({ description: 'Client id of the API key, or a name such as `command-line` for another way in' }),
    remoteAddress: z.string().nullable(),
    requestId: z.string().nullable().meta({ description: 'The `x-request-id` of the answer' }),
    targetType: z.string(),
    targetId: id.nullable(),
    details: z
      .record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.null()]))
      .meta({ description: 'Ids, and values of fixed sets' }),
  })
  .meta({ id: 'AuditEntry' })

const auditPageSchema: z.ZodType<AuditPage> = z
  .object({
    items: z.array(auditEntry),
    nextCursor: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page' }),
  })
  .meta({ id: 'AuditPage' })

/** The audit trail. */
export const AUDIT_ROUTE: Route = route({
  ...COMMON,
  method: 'GET',
  path: '/tenant/audit',
  operationId: 'listAudit',
  summary: "List the audit trail of the token's company and the companies below it",
  query: auditQuerySchema,
  answers: { 200: { description: 'A page, the newest entry first', schema: auditPageSchema } },
  handle: async ({ query }, { audit }) => json(await audit.list(query)),
})

/** The use of a company. */
export const USAGE_ROUTE: Route = route({
  ...COMMON,
  method: 'GET',
  path: '/tenant/usage',
  operationId: 'getUsage',
  summary: "Get what the token's company uses, beside the limits",
  description: 'The companies below it do not count. `cid` selects one of them instead.',
  query: objectSchema({ cid: idSchema().optional() }),
  answers: { 200: { description: 'Numbers in use, and the largest contexts', schema: companyUsageSchema } },
  handle: async ({ query }, session) => json(await session.usage(query.cid)),
})
