import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CAPABILITIES, type Capability, type Engine, type Session } from '../../../src/index.js'
import { sized } from '../../full-form.js'
import { memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

const MANY = { contextsPerCompany: 100_000, apiKeysPerCompany: 100_000, usersPerCompany: 100_000 }

let engine: Engine
let contextId: number

beforeAll(async () => {
  ;({ engine } = await memoryEngine({ limits: MANY }))
  contextId = (await engine.as(engine.owner).contexts.create(NEW_CONTEXT)).id
  await engine.as(engine.owner).contexts.share(contextId, { shareState: 1 })
})

afterAll(async () => {
  await engine.close()
})

/** An operation for each capability, which needs no other. */
const OPERATIONS: Readonly<Record<Capability, (session: Session) => Promise<unknown>>> = {
  'context:read': (session) => session.contexts.list(),
  'context:write': (session) => session.contexts.create(NEW_CONTEXT),
  'document:write': (session) => session.documents.checkRoom(contextId, 1),
  search: (session) => session.search(contextId, 'parental leave'),
  'tenant:manage': (session) => session.users.list(),
  'webhook:manage': (session) => session.destinations.list(),
}

async function outcomeOf(work: Promise<unknown>): Promise<object> {
  return await work.then(
    () => ({ isDone: true }),
    (error: unknown) => {
      const { code, scope } = error as { readonly code: string; readonly scope?: string }
      return { isDone: false, code, scope }
    },
  )
}

/** A user with one role on the root company's accounts, acting in the account that offers the capability. */
async function newUser(capabilities: readonly Capability[]): Promise<(capability: Capability) => number> {
  const { administration } = engine
  const role = { name: 'Some', applications: ['assistant', 'tenant'], capabilities }
  const { id: appRoleId } = await administration.roles.create(role)
  const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === 1)
  const idOf = (key: string): number => accounts.find(({ application }) => application === key)?.id ?? 0
  const key = await administration.apiKeys.create({ companyId: 1 })
  for (const { id, userIdentityId } of await administration.permissions.list()) {
    if (userIdentityId === key.userId) await administration.permissions.revoke(id)
  }
  for (const appAccountId of [idOf('assistant'), idOf('tenant')]) {
    await administration.permissions.grant({ userIdentityId: key.userId, appAccountId, appRoleId })
  }
  userId = key.userId
  return (capability) => idOf(/^(tenant|webhook)/.test(capability) ? 'tenant' : 'assistant')
}
let userId = 0

describe('a scope', () => {
  const subset = fc.subarray([...CAPABILITIES])

  // A93
  it('allows an operation only if both the role and the scope have its capability', async () => {
    await fc.assert(
      fc.asyncProperty(
        subset.filter((role) => role.length > 0),
        fc.option(subset, { nil: undefined }),
        async (role, scope) => {
          const accountOf = await newUser(role)
          for (const capability of CAPABILITIES) {
            const accountId = accountOf(capability)
            const principal = { companyId: 1, userId, accountId, sight: 'account', ...(scope && { scope }) } as const
            const outcome = await outcomeOf(OPERATIONS[capability](engine.as(principal)))
            const [hasRole, hasScope] = [role.includes(capability), scope?.includes(capability) ?? true]
            const refused = { isDone: false, code: 'ERR_FORBIDDEN', scope: hasRole ? capability : undefined }
            expect(outcome, JSON.stringify({ role, scope, capability })).toEqual(
              hasRole && hasScope ? { isDone: true } : refused,
            )
          }
        },
      ),
      { numRuns: sized(20, 60) },
    )
  })

  // A93
  it('narrows side effects of a capability too: without tenant:manage, contexts of others cannot be changed', async () => {
    const accountOf = await newUser([...CAPABILITIES])
    const principal = { companyId: 1, userId, accountId: accountOf('search') }
    const changes = { name: 'Mine now', description: 'd', caption: 'c' }
    const narrow = engine.as({ ...principal, scope: ['context:read', 'context:write'] })
    await expect(narrow.contexts.update(contextId, changes)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
    expect((await engine.as(principal).contexts.update(contextId, changes)).name).toBe('Mine now')
  })

  // A93
  it.each([[['everything']], ['search'], [null], [[1]]])('that is invalid is refused: %j', (scope) => {
    expect(() => engine.as({ ...engine.owner, scope: scope as never })).toThrow(/scope/)
  })
})
