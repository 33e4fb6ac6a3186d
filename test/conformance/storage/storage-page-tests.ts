import assert from 'node:assert/strict'
import type { Repositories, RowPage, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { listDocuments } from './list-documents.js'
import { LATER, NOW, PLAIN_DESTINATION, type Seed, seedCompany, seedContext, seedDocument } from './storage-seed.js'

/** A list that can be read page by page. */
interface Listed {
  readonly ids: readonly number[]
  readonly list: (page?: RowPage) => Promise<readonly { readonly id: number }[]>
  readonly listIds: (page: { readonly after: number; readonly limit: number }) => Promise<readonly number[]>
  readonly count: () => Promise<number>
}

const COUNT = 7
const ROW_BYTES = 1_000

/** Tests of pages of lists, and of counts. */
export function definePageTests(test: DefineTest<Storage>): void {
  for (const [what, seed] of Object.entries(LISTS)) {
    test(`lists ${what} page by page and counts them`, async (storage) => {
      const { ids, list, listIds, count } = await seed(storage)
      assert.equal(ids.length, COUNT)
      const idsOf = async (page?: RowPage) => (await list(page)).map(({ id }) => id)
      assert.deepEqual(await idsOf(), ids)
      assert.equal(await count(), COUNT)
      const [after = 0, upTo = 0] = [ids[1], ids[4]]
      assert.deepEqual(await idsOf({ after: 0, limit: 3 }), ids.slice(0, 3))
      assert.deepEqual(await idsOf({ after, limit: 3 }), ids.slice(2, 5))
      assert.deepEqual(await idsOf({ after, upTo, limit: 100 }), ids.slice(2, 5))
      assert.deepEqual(await idsOf({ after: ids.at(-1) ?? 0, limit: 3 }), [])
      assert.deepEqual(await idsOf({ after: Number.MAX_SAFE_INTEGER, limit: 3, maxBytes: 1 }), [])
      assert.deepEqual(await list({ after, limit: 2 }), (await list()).slice(2, 4))
      assert.deepEqual(await listIds({ after, limit: 3 }), ids.slice(2, 5))
      assert.deepEqual(await listIds({ after: Number.MAX_SAFE_INTEGER, limit: 3 }), [])
    })
  }

  for (const what of ['contexts', 'documents'] as const) {
    test(`ends a page of ${what} before the row that exceeds the byte limit`, async (storage) => {
      const { ids, list } = await LISTS[what](storage)
      const idsOf = async (maxBytes: number, upTo?: number) =>
        (await list({ after: 0, limit: 100, maxBytes, ...(upTo !== undefined && { upTo }) })).map(({ id }) => id)
      assert.deepEqual(await idsOf(1), ids.slice(0, 1))
      assert.deepEqual(await idsOf(3.5 * ROW_BYTES), ids.slice(0, 3))
      assert.deepEqual(await idsOf(3.5 * ROW_BYTES, ids[1]), ids.slice(0, 2))
      assert.deepEqual(await idsOf(100 * ROW_BYTES), ids)
    })
  }

  test('lists the contexts that a user may see: own ones and shared ones', async (storage) => {
    await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      const other = await insertUser(repositories, seed, 'other')
      const mine = await seedContext(repositories, seed)
      await seedContext(repositories, { ...seed, userId: other })
      const shared = await seedContext(repositories, { ...seed, userId: other })
      await repositories.contexts.update(shared.id, { shareState: 1 })
      const filter = { accountId: seed.accountId, visibleTo: seed.userId }
      const seen = await repositories.contexts.list(filter, { after: 0, limit: 10 })
      assert.deepEqual(
        [mine.id, shared.id],
        seen.map(({ id }) => id),
      )
      assert.deepEqual(await repositories.contexts.listIds(filter, { after: mine.id, limit: 10 }), [shared.id])
      assert.equal((await repositories.contexts.list({ accountId: seed.accountId })).length, 3)
    })
  })

  test('counts the contexts of all accounts of a company, and its valid API keys', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { accounts, apiKeys, contexts, regions } = repositories
      const seed = await seedCompany(repositories)
      const other = await seedCompany(repositories, 'Other')
      const region = await regions.ensure('local')
      const account = await accounts.insert({
        companyId: seed.companyId,
        application: 'assistant',
        regionId: region.id,
        name: 'Second',
        isActive: true,
        created: NOW,
      })
      await seedContext(repositories, seed)
      const deletedContext = await seedContext(repositories, { ...seed, accountId: account.id })
      await seedContext(repositories, { ...seed, accountId: account.id })
      await seedContext(repositories, other)
      assert.equal(await contexts.count(seed.companyId), 3)
      await contexts.update(deletedContext.id, { deleted: NOW })
      assert.equal(await contexts.count(seed.companyId), 2)
      const ids: number[] = []
      for (const clientId of ['ak_1', 'ak_2', 'ak_3']) {
        const { companyId, userId } = clientId === 'ak_3' ? other : seed
        const key = {
          clientId,
          companyId,
          userId,
          secretHash: 'x',
          targets: [],
          sight: 'account',
          created: NOW,
        } as const
        ids.push((await apiKeys.insert({ ...key, expires: null, lastUsed: null, revoked: null })).id)
      }
      await apiKeys.revoke(ids[0] ?? 0, NOW)
      assert.equal(await apiKeys.countUsable(seed.companyId, NOW), 1)
      const { companyId, userId } = seed
      const key = {
        clientId: 'ak_4',
        companyId,
        userId,
        secretHash: 'x',
        targets: [],
        sight: 'account',
        created: NOW,
      } as const
      await apiKeys.insert({ ...key, expires: LATER, lastUsed: null, revoked: null })
      assert.equal(await apiKeys.countUsable(companyId, NOW), 2)
      assert.equal(await apiKeys.countUsable(companyId, LATER), 1)
    })
  })
}

async function insertUser({ users }: Repositories, { companyId }: Seed, name: string): Promise<number> {
  const email = `${name}@example.com`
  const names = { firstName: name, lastName: '', name }
  return (
    await users.insert({
      companyId,
      email,
      emailKey: email,
      externalId: null,
      ...names,
      created: NOW,
      lastAccess: null,
      passwordHash: null,
    })
  ).id
}

const LISTS: Readonly<
  Record<
    'contexts' | 'documents' | 'users' | 'destinations' | 'companies' | 'API keys',
    (storage: Storage) => Promise<Listed>
  >
> = {
  companies: async (storage) => {
    const ids = await storage.transaction(async (repositories) => {
      const { companyId } = await seedCompany(repositories)
      const rows = [companyId]
      for (let at = 1; at < COUNT; at += 1) {
        const parentId = rows.at(-1) ?? companyId
        rows.push((await repositories.companies.insert({ name: `C${at}`, parentId, created: NOW })).id)
        await seedCompany(repositories, `Other ${at}`)
        const gone = await repositories.companies.insert({ name: 'Gone', parentId, created: NOW })
        await repositories.companies.remove(gone.id, NOW)
      }
      return rows
    })
    const filter = { withinCompanyId: ids[0] ?? 0 }
    return {
      ids,
      list: (page) => storage.read(({ companies }) => companies.list(filter, page)),
      listIds: (page) => storage.read(({ companies }) => companies.listIds(filter, page)),
      count: async () => (await storage.read(({ companies }) => companies.list(filter))).length,
    }
  },
  'API keys': async (storage) => {
    const { companyId, ids } = await storage.transaction(async (repositories) => {
      const made = await seedCompany(repositories)
      const other = await seedCompany(repositories, 'Other')
      const below = await repositories.companies.insert({ name: 'Below', parentId: made.companyId, created: NOW })
      const insert = async (of: Pick<Seed, 'companyId' | 'userId'>, clientId: string) => {
        const { companyId: id, userId } = of
        const key = {
          clientId,
          companyId: id,
          userId,
          secretHash: 'x',
          targets: [],
          sight: 'user',
          created: NOW,
        } as const
        return (await repositories.apiKeys.insert({ ...key, expires: null, lastUsed: null, revoked: null })).id
      }
      const rows: number[] = []
      for (let at = 0; at < COUNT; at += 1) {
        const { userId } = made
        rows.push(await insert({ userId, companyId: at % 2 === 0 ? made.companyId : below.id }, `ak_${at}`))
        await insert({ userId, companyId: other.companyId }, `ak_other_${at}`)
      }
      return { companyId: made.companyId, ids: rows }
    })
    const filter = { withinCompanyId: companyId }
    return {
      ids,
      list: (page) => storage.read(({ apiKeys }) => apiKeys.list(filter, page)),
      listIds: (page) => storage.read(({ apiKeys }) => apiKeys.listIds(filter, page)),
      count: async () => (await storage.read(({ apiKeys }) => apiKeys.list(filter))).length,
    }
  },
  contexts: async (storage) => {
    const { seed, ids } = await storage.transaction(async (repositories) => {
      const made = await seedCompany(repositories)
      const other = await seedCompany(repositories, 'Other')
      const rows: number[] = []
      for (let at = 0; at < COUNT; at += 1) {
        const { id } = await seedContext(repositories, made)
        await repositories.contexts.update(id, { description: 'x'.repeat(ROW_BYTES - 40) })
        rows.push(id)
        await seedContext(repositories, other)
        const deletedContext = await seedContext(repositories, made)
        await repositories.contexts.update(deletedContext.id, { deleted: NOW })
      }
      return { seed: made, ids: rows }
    })
    return {
      ids,
      list: (page) => storage.read(({ contexts }) => contexts.list({ accountId: seed.accountId }, page)),
      listIds: (page) => storage.read(({ contexts }) => contexts.listIds({ accountId: seed.accountId }, page)),
      count: () => storage.read(({ contexts }) => contexts.count(seed.companyId)),
    }
  },
  documents: async (storage) => {
    const { contextId, ids } = await storage.transaction(async (repositories) => {
      const made = await seedCompany(repositories)
      const [context, other] = [await seedContext(repositories, made), await seedContext(repositories, made)]
      const rows: number[] = []
      for (let at = 0; at < COUNT; at += 1) {
        const error = 'x'.repeat(ROW_BYTES - 100)
        rows.push((await seedDocument(repositories, context, `live-${at}`, { error })).id)
        await seedDocument(repositories, context, `gone-${at}`, { deleted: NOW })
        await seedDocument(repositories, other, `other-${at}`)
      }
      return { contextId: context.id, ids: rows }
    })
    return {
      ids,
      list: (page) => storage.read(({ documents }) => listDocuments(documents, contextId, page)),
      listIds: (page) => storage.read(({ documents }) => documents.listPublicIds(contextId, page)),
      count: () => storage.read(({ documents }) => documents.count(contextId)),
    }
  },
  users: async (storage) => {
    const { companyId, ids } = await storage.transaction(async (repositories) => {
      const made = await seedCompany(repositories)
      const other = await seedCompany(repositories, 'Other')
      const rows = [made.userId]
      for (let at = 1; at < COUNT; at += 1) {
        rows.push(await insertUser(repositories, made, `user-${at}`))
        await insertUser(repositories, other, `stranger-${at}`)
      }
      return { companyId: made.companyId, ids: rows }
    })
    return {
      ids,
      list: (page) => storage.read(({ users }) => users.list({ companyId }, page)),
      listIds: (page) => storage.read(({ users }) => users.listIds({ companyId }, page)),
      count: () => storage.read(({ users }) => users.count(companyId)),
    }
  },
  destinations: async (storage) => {
    const { companyId, ids } = await storage.transaction(async (repositories) => {
      const made = await seedCompany(repositories)
      const other = await seedCompany(repositories, 'Other')
      const insert = async (of: number, name: string) => {
        const { id } = await repositories.destinations.insert({
          companyId: of,
          url: `https://example.com/${name}`,
          ...PLAIN_DESTINATION,
        })
        return id
      }
      const rows: number[] = []
      for (let at = 0; at < COUNT; at += 1) {
        rows.push(await insert(made.companyId, String(at)))
        await insert(other.companyId, String(at))
        await repositories.destinations.remove(await insert(made.companyId, `gone-${at}`), NOW)
      }
      return { companyId: made.companyId, ids: rows }
    })
    return {
      ids,
      list: (page) => storage.read(({ destinations }) => destinations.list({ companyId }, page)),
      listIds: (page) => storage.read(({ destinations }) => destinations.listIds({ companyId }, page)),
      count: () => storage.read(({ destinations }) => destinations.count(companyId)),
    }
  },
}
