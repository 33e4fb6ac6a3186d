import type { Container } from 'inversify'
import type { ListPage, ListQuery } from '../shared/row-list.js'
import { parseId } from '../shared/validate.js'
import {
  AddUser,
  Authorizer,
  DeleteUser,
  GrantPermission,
  ListPermissionOptions,
  ListUsers,
  ManagePermissions,
  type NewPermission,
  type NewUser,
  type Permission,
  type PermissionChange,
  type PermissionOptions,
  type PermissionOptionsPath,
  type Principal,
  ReinitiateUser,
  type UserWithPermissions,
} from '../tenancy-authorization/index.js'
import { listOperations } from './list-session.js'

/** Users of the principal's company and its descendants; for principals with the capability `tenant:manage`. */
export interface UserOperations {
  /** Users of one company, not of those below it. @param customerId default: the principal's company */
  list(customerId?: number, query?: ListQuery): Promise<UserWithPermissions[]>
  /** As {@link list}, read a few at a time as they are asked for. */
  entries(customerId?: number, query?: ListQuery): AsyncIterable<UserWithPermissions>
  /** As {@link entries}, with the place where the next page begins. */
  page(customerId: number | undefined, query: ListQuery): Promise<ListPage<UserWithPermissions>>
  /** Invites them by mail. `customerId` defaults to the principal's company. */
  add(user: NewUser): Promise<UserWithPermissions>
  /** Sends the invitation once more. */
  reinitiate(id: number): Promise<void>
  /** Erases what is known of a user, with all rights, keys, links and waiting mails; contexts stay with their accounts. */
  delete(id: number): Promise<void>
}

/** Permissions on accounts of the principal's company and its descendants. */
export interface PermissionOperations {
  /** What a permission can be made of, step by step. */
  options(path?: PermissionOptionsPath): Promise<PermissionOptions>
  create(permission: NewPermission): Promise<Permission>
  /** Gives it another role. */
  update(change: PermissionChange): Promise<Permission>
  /** Flips `disabled`. */
  toggle(id: number): Promise<Permission>
  delete(id: number): Promise<void>
}

export function userOperations(container: Container, principal: Principal): UserOperations {
  const authorize = async () => await container.get(Authorizer).authorizeTenant(principal)
  return {
    ...listOperations((customerId?: number) => container.get(ListUsers).execute(authorize, customerId)),
    add: async (user) => {
      const access = await authorize()
      const companyId = parseId(user.customerId ?? principal.companyId, 'customerId')
      const added = await container.get(AddUser).execute(user, companyId, access.actor, access.reach)
      const { customerId: _company, disabled: _disabled, ...shown } = added
      return (await container.get(ListUsers).one(access, added.id)) ?? { ...shown, permissions: [] }
    },
    reinitiate: async (id) => {
      await container.get(ReinitiateUser).execute(id, (await authorize()).reach)
    },
    delete: async (id) => {
      await container.get(DeleteUser).execute(id, (await authorize()).reach)
    },
  }
}

export function permissionOperations(container: Container, principal: Principal): PermissionOperations {
  const authorize = async () => await container.get(Authorizer).authorizeTenant(principal)
  const manage = (): ManagePermissions => container.get(ManagePermissions)
  return {
    options: async (path) => await container.get(ListPermissionOptions).execute(await authorize(), path),
    create: async (permission) => {
      const { actor, reach } = await authorize()
      return await container.get(GrantPermission).execute(permission, actor, reach)
    },
    update: async (change) => await manage().changeRole(change, (await authorize()).reach),
    toggle: async (id) => await manage().toggle(id, (await authorize()).reach),
    delete: async (id) => {
      await manage().delete(id, (await authorize()).reach)
    },
  }
}
