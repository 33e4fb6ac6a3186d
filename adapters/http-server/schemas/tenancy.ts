import { z } from 'zod'
import type { Permission, PermissionOptions, UserDetails, UserWithPermissions } from '../../../src/index.js'
import { id, timestamp } from './fields.js'

const named = z.object({ id, name: z.string() })

const listedPermission = z
  .object({
    id,
    disabled: z.boolean(),
    createdAt: timestamp,
    lastAccess: timestamp.nullable(),
    instanceActive: z.boolean(),
    role: named,
    account: named.extend({ customerId: id }),
    application: named.extend({ key: z.string() }),
    region: named,
  })
  .meta({ id: 'ListedPermission' })

const user = z.object({
  id,
  firstName: z.string(),
  lastName: z.string(),
  name: z.string(),
  email: z.string().meta({ description: 'Empty for a user without an address' }),
  createdAt: timestamp,
  hasPassword: z.boolean(),
  otpMethod: z.string(),
  lastAccess: timestamp.nullable(),
  permissions: z.array(listedPermission),
})

export const userSchema: z.ZodType<UserWithPermissions> = user.meta({ id: 'User' })

export const userDetailsSchema: z.ZodType<UserDetails> = user
  .extend({
    customerId: id,
    externalId: z.string().nullable().meta({ description: "The id that the host's login gives the user" }),
    disabled: z.boolean(),
  })
  .meta({ id: 'UserDetails' })

export const permissionSchema: z.ZodType<Permission> = z
  .object({
    id,
    appAccountId: id,
    userIdentityId: id,
    appRoleId: id,
    lastAccess: timestamp.nullable(),
    disabled: z.boolean(),
    createdAt: timestamp,
    createdBy: z.string().meta({ description: "Text of a JSON object with the creator's id and email address" }),
  })
  .meta({ id: 'Permission' })

const option = z.object({ value: id, title: z.string(), selected: z.boolean() }).meta({ id: 'OptionItem' })

export const permissionOptionsSchema: z.ZodType<PermissionOptions> = z
  .object({
    applications: z.array(option),
    regions: z.array(option),
    accounts: z.array(option),
    roles: z.array(option),
    users: z.array(option),
  })
  .meta({ id: 'PermissionOptions' })
