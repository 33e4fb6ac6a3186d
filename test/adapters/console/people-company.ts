import type { Engine } from '../../../src/index.js'
import { type ConsoleTest, PASSWORD } from './console-test.js'

export const MARKUP = '<img src=x onerror=alert(1)>'

type Credentials = ConsoleTest['owner']

/** Manages the company of {@link addCompany}, with all rights. */
export const MANAGER: Credentials = { email: 'mara@dock.example', password: PASSWORD }
/** Manages users of that company, and has no other right there: see {@link addHelper}. */
export const HELPER: Credentials = { email: 'tim@dock.example', password: PASSWORD }

/** A company below the first one, with markup wherever the API allows it. */
export interface LowerCompany {
  readonly id: number
  /** Its account of the application `tenant`. */
  readonly tenantId: number
  readonly managerId: number
}

/** Adds the company with a manager and fifty further users, so that its users need two pages. */
export async function addCompany({ administration }: Engine): Promise<LowerCompany> {
  const { companies, users, accounts, roles, permissions } = administration
  const { id } = await companies.create({ name: `Dock ${MARKUP}`, parentId: 1 })
  const { email } = MANAGER
  const manager = await users.add({ email, name: 'Mara Dock', externalId: MARKUP, companyId: id, invite: false })
  await users.completeSetup(manager.id, PASSWORD)
  const ofTenant = (await accounts.list()).find((each) => each.customerId === id && each.application === 'tenant')
  const administrator = (await roles.list()).find(({ name }) => name === 'Administrator')
  if (ofTenant === undefined || administrator === undefined) throw new Error('the company has no tenant account')
  const right = { userIdentityId: manager.id, appAccountId: ofTenant.id, appRoleId: administrator.id }
  await permissions.grant(right)
  const capabilities = ['context:read', 'search']
  await roles.create({ name: MARKUP, applications: ['assistant'], capabilities, companyId: id })
  for (let number = 1; number <= 50; number += 1) {
    await users.add({ email: `hand${number}@dock.example`, companyId: id, invite: false })
  }
  return { id, tenantId: ofTenant.id, managerId: manager.id }
}

export async function addHelper({ administration }: Engine, company: LowerCompany): Promise<void> {
  const { users, roles, permissions } = administration
  const companyId = company.id
  const { id } = await users.add({ email: HELPER.email, name: 'Tim Help', companyId, invite: false })
  await users.completeSetup(id, PASSWORD)
  const capabilities = ['tenant:manage']
  const { id: appRoleId } = await roles.create({ name: 'Manager', applications: ['tenant'], capabilities, companyId })
  await permissions.grant({ userIdentityId: id, appAccountId: company.tenantId, appRoleId })
}
