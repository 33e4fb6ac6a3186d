import { expect, it } from 'vitest'
import { memoryEngine, NEW_CONTEXT } from './memory-engine.js'

const USER = { email: 'ada@example.com' }
const DESTINATION = { url: 'https://hooks.example.com/alcove', eventTypes: null }

it('refuses each member of an input that it does not know, and names it', async () => {
  const { engine, session } = await memoryEngine()
  const { administration, authentication } = engine
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: 'words' })
  const { companyId } = engine.owner
  const tried: Readonly<Record<string, (extra: object) => Promise<unknown>>> = {
    'contexts.create': (extra) => session.contexts.create({ ...NEW_CONTEXT, ...extra }),
    'contexts.update': (extra) => session.contexts.update(id, { name: 'New', ...extra }),
    'contexts.share': (extra) => session.contexts.share(id, { shareState: 1, icon: '🦉', ...extra }),
    'contexts.list': (extra) => session.contexts.list({ limit: 1, ...extra }),
    'documents.upload': (extra) => session.documents.upload(id, { fileName: 'a.txt', content: 'a', ...extra }),
    'documents.upload options': (extra) => session.documents.upload(id, { fileName: 'a.txt', content: 'a' }, extra),
    'documents.replace': (extra) => session.documents.replace(uuid, { content: 'a', ...extra }),
    'documents.update': (extra) => session.documents.update(uuid, { displayName: 'a', ...extra }),
    searchAll: (extra) => session.searchAll([id], 'words', { topN: 1, ...extra }),
    explain: (extra) => session.explain(id, 'words', { topN: 1, ...extra }),
    'documents.list': (extra) => session.documents.list(id, { limit: 1, ...extra }),
    search: (extra) => session.search(id, 'words', { topN: 1, ...extra }),
    'users.add': (extra) => session.users.add({ ...USER, ...extra }),
    'users.list': (extra) => session.users.list(companyId, { limit: 1, ...extra }),
    'permissions.create': (extra) =>
      session.permissions.create({ appAccountId: 1, appRoleId: 1, userIdentityId: 1, ...extra }),
    'permissions.update': (extra) => session.permissions.update({ id: 1, appRoleId: 1, ...extra }),
    'apiKeys.create': (extra) => session.apiKeys.create({ targets: ['tenant'], ...extra }),
    'apiKeys.list': (extra) => session.apiKeys.list({ limit: 1, ...extra }),
    'companies.list': (extra) => session.companies.list({ limit: 1, ...extra }),
    'audit.list': (extra) => session.audit.list({ limit: 1, ...extra }),
    'destinations.create': (extra) => session.destinations.create({ ...DESTINATION, ...extra }),
    'deliveries.list': (extra) => session.deliveries.list({ limit: 1, ...extra }),
    'events.record': (extra) => engine.events.record({ type: 'test', companyId, data: {}, ...extra } as never),
    'administration.companies.create': (extra) =>
      administration.companies.create({ name: 'A', parentId: companyId, ...extra }),
    'administration.accounts.create': (extra) =>
      administration.accounts.create({ companyId, name: 'A', application: 'Contexts', ...extra } as never),
    'administration.roles.create': (extra) =>
      administration.roles.create({ companyId, name: 'A', applications: [], capabilities: [], ...extra }),
    'administration.apiKeys.create': (extra) => administration.apiKeys.create({ companyId, ...extra }),
    'authentication.requestPasswordReset': (extra) => authentication.requestPasswordReset({ ...USER, ...extra }),
    'authentication.setPassword': (extra) => authentication.setPassword({ token: 't', password: 'p', ...extra }),
    initialize: (extra) => engine.initialize({ ...extra }),
  }
  for (const [name, call] of Object.entries(tried)) {
    const error = await call({ nmae: 'x' }).catch((reason: unknown) => reason)
    expect(error, name).toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(/nmae: unknown (member|option) "nmae"; expected one of \w+/) as string,
    })
  }
  // Nothing was made.
  expect((await session.contexts.list()).map(({ name }) => name)).toEqual([NEW_CONTEXT.name])
  expect(await session.users.list(companyId)).toHaveLength(1)
  await engine.close()
})

it('accepts objects of a host that have members of their own: a principal, and a document as its own reference', async () => {
  const { engine, session } = await memoryEngine()
  const { id } = await session.contexts.create(NEW_CONTEXT)
  const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: 'words' })
  const document = await session.documents.get(uuid)
  expect((await session.documents.get(document)).uuid).toBe(uuid)
  const principal = { ...engine.owner, locale: 'de' }
  expect(await engine.as(principal).contexts.list()).toHaveLength(1)
  await engine.close()
})
