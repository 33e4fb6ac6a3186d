import { z } from 'zod'
import { newPermissionSchema, type PermissionOptionsPath, permissionChangeSchema } from '../../../src/index.js'
import { idSchema, objectSchema } from '../../../src/ports/index.js'
import { json, noContent } from '../answers.js'
import { type Route, route } from '../route.js'
import { permissionOptionsSchema, permissionSchema, problemSchema } from '../schemas.js'

const COMMON = { api: 'tenant', access: 'tenant' } as const
const LAST_MANAGER = {
  409: {
    description: 'The company would have no user left who can manage it',
    schema: problemSchema,
    contentType: 'application/problem+json',
  },
}
const BY_ID = objectSchema({ permId: idSchema() })
const QUERY = objectSchema({
  cid: idSchema().optional(),
  all: z.boolean({ error: 'must be true or false' }).optional(),
})

/** The steps of the permission options. Each step adds a choice to the path. */
const STEPS = ['type', 'region', 'account'] as const

/** Permissions on accounts. Specification: Tenant API. */
export const PERMISSION_ROUTES: readonly Route[] = [
  ...[0, 1, 2, 3].map((depth) => optionsRoute(STEPS.slice(0, depth))),
  route({
    ...COMMON,
    method: 'POST',
    path: '/permission',
    operationId: 'createPermission',
    summary: 'Give a user a role on an account',
    body: newPermissionSchema,
    answers: { 201: { description: 'The permission', schema: permissionSchema } },
    handle: async ({ body }, { permissions }) => json(await permissions.create(body), 201),
  }),
  route({
    ...COMMON,
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
    ...COMMON,
    method: 'PATCH',
    path: '/permission/{permId}',
    operationId: 'togglePermission',
    summary: 'Disable a permission, or enable a disabled one',
    params: BY_ID,
    answers: { 204: { description: 'The state is changed' }, ...LAST_MANAGER },
    handle: async ({ params }, { permissions }) => {
      await permissions.toggle(params.permId)
      return noContent()
    },
  }),
  route({
    ...COMMON,
    method: 'DELETE',
    path: '/permission/{permId}',
    operationId: 'deletePermission',
    summary: 'Delete a permission',
    params: BY_ID,
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
    ...COMMON,
    method: 'GET',
    path: ['/permission/options', ...steps.map((step) => `{${step}}`)].join('/'),
    operationId: `permissionOptions${last && `By${last[0]?.toUpperCase()}${last.slice(1)}`}`,
    summary: 'List the choices for a new permission, step by step',
    ...(steps.length > 0 && {
      params: objectSchema(Object.fromEntries(steps.map((step) => [step, idSchema()]))),
    }),
    query: QUERY as z.ZodType<{ cid?: number; all?: boolean }>,
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
