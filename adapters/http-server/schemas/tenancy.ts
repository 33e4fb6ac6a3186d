import { z } from 'zod'
import type {
  ApiKey,
  ApiKeyWithSecret,
  Company,
  ListedRole,
  Permission,
  PermissionOptions,
  UserDetails,
  UserWithPermissions,
} from '../../../src/index.js'
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

export const companySchema: z.ZodType<Company> = z
  .object({
    id,
    name: z.string(),
    parentId: id.nullable().meta({ description: 'Null for the topmost company that the caller manages' }),
    disabled: z.boolean(),
  })
  .meta({ id: 'Company' })

export const listedRoleSchema: z.ZodType<ListedRole> = z
  .object({
    id,
    customerId: id.nullable().meta({ description: 'The company of the role; null for a system-wide role' }),
    name: z.string(),
    applications: z.array(z.string()).meta({ description: 'Keys of the applications for which the role is valid' }),
    capabilities: z.array(z.string()),
    disabled: z.boolean().meta({ description: 'A disabled role gives no access, and nobody can grant it' }),
    grantable: z.boolean().meta({ description: 'True if the caller has all capabilities of the role' }),
  })
  .meta({ id: 'Role' })

const apiKey = z.object({
  id,
  clientId: z.string(),
  companyId: id.meta({ description: 'The company of the key: it reaches that company and those below it' }),
  userId: id.meta({ description: 'The user for whom the key acts' }),
  targets: z.array(z.string()).meta({ description: 'The values of `target_app` that the key may ask for' }),
  sight: z
    .enum(['user', 'account'])
    .meta({ description: "The contexts that its tokens see: the user's own and shared ones, or all of the account" }),
  created: timestamp,
  expires: timestamp.nullable(),
  lastUsed: timestamp.nullable().meta({ description: 'The time of the latest token' }),
  revoked: timestamp.nullable(),
})

export const apiKeySchema: z.ZodType<ApiKey> = apiKey.meta({ id: 'ApiKey' })

export const apiKeyWithSecretSchema: z.ZodType<ApiKeyWithSecret> = apiKey
  .extend({ clientSecret: z.string().meta({ description: 'Only this answer has it' }) })
  .meta({ id: 'ApiKeyWithSecret' })
