import { cp } from 'node:fs/promises'
import { expect } from 'vitest'
import { openLocalEngine } from '../../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryHttpTransport } from '../../../../adapters/memory/index.js'
import type { Engine } from '../../../../src/index.js'
import { EVENT_DATA } from '../../../event-data.js'
import { otpCode } from '../../../otp-code.js'
import { NEW_CONTEXT, uploadText } from '../../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../../temporary-folder.js'

export const HARBOUR = 'The harbour is closed in winter.'
export const LEAVE = 'Parental leave takes eighteen weeks.'
export const NASTY = 'Zoë ✅ 東京 "x" \\ \' {"a": [1]} \u{1F600} 100% ? ?? :name $1'

/** Opens an engine on a folder, or on the database to which it was migrated. */
export async function openFolder(dataDir: string, databaseUrl?: string): Promise<Engine> {
  return await openLocalEngine({
    dataDir,
    embeddingModels: [new MemoryEmbeddingModel()],
    httpTransport: new MemoryHttpTransport(),
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
}

/** Folders with data of every kind, with a destination or without. The tests work on copies. */
const filled = new Map<boolean, ReturnType<typeof makeFilled>>()

/** Puts data of every kind in a folder. */
export async function fillFolder(
  dataDir: string,
  { hasDestination = true }: { readonly hasDestination?: boolean } = {},
): Promise<void> {
  const made = filled.get(hasDestination) ?? makeFilled(hasDestination)
  filled.set(hasDestination, made)
  await cp((await made).path, dataDir, { recursive: true })
}

/** Removes what {@link fillFolder} copies. */
export async function removeFilled(): Promise<void> {
  for (const made of filled.values()) await (await made).remove()
  filled.clear()
}

async function makeFilled(hasDestination: boolean): ReturnType<typeof temporaryFolder> {
  const made = await temporaryFolder()
  const engine = await openFolder(made.path)
  const { administration, owner } = engine
  const session = engine.as(owner)
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, name: NASTY, description: `${NASTY}\n\t\\u0041` })
  const { id: deleted } = await session.contexts.create(NEW_CONTEXT)
  await uploadText(session, id, 'harbour.txt', HARBOUR)
  await uploadText(session, id, 'leave.txt', LEAVE)
  await session.documents.delete(await uploadText(session, id, 'gone.txt', 'Nothing of this stays.'))
  await session.contexts.delete(deleted)
  // No destination receives this event. The tables of deliveries have counted ids, but never had a row.
  await engine.events.record({ type: 'agent.deleted', data: EVENT_DATA['agent.deleted'], companyId: owner.companyId })
  const child = await administration.companies.create({ name: 'Child', parentId: owner.companyId })
  const other = await administration.companies.create({ name: NASTY, parentId: owner.companyId })
  // The parent was created after the child.
  await administration.companies.move(child.id, other.id)
  const ada = await administration.users.add({ email: 'ada@example.com', companyId: child.id, name: NASTY })
  const { secret } = await administration.users.oneTimePassword.begin(ada.id)
  await administration.users.oneTimePassword.confirm(ada.id, otpCode(secret, new Date()))
  if (hasDestination)
    await administration.destinations.create({
      customerId: child.id,
      url: 'https://example.com/hook',
      eventTypes: null,
    })
  await engine.events.record({ type: 'agent.created', data: EVENT_DATA['agent.created'], companyId: child.id })
  await engine.whenCleared()
  // Unfinished deliveries would end between two reads.
  const underWay = async (): Promise<number> => {
    const { items } = await administration.deliveries.list({})
    return items.filter(({ status }) => ['pending', 'delivering'].includes(status)).length
  }
  await expect.poll(underWay, { timeout: 20_000 }).toBe(0)
  await engine.close()
  return made
}

type SeenPart =
  | 'owner'
  | 'contexts'
  | 'documents'
  | 'hits'
  | 'byWords'
  | 'companies'
  | 'users'
  | 'keys'
  | 'destinations'
  | 'deliveries'

/** All that a user sees of a folder. */
export async function seen(engine: Engine): Promise<Record<SeenPart, unknown>> {
  const { administration, owner } = engine
  const session = engine.as(owner)
  const contexts = await session.contexts.list()
  // A small collection is compared in memory with 64 bits, and a table that processes share with 32: 7 digits.
  const search = async (id: number, mode?: 'keyword') => {
    const hits = await session.search(id, HARBOUR, { ...(mode && { mode }) })
    return hits.map((hit) => ({ ...hit, score: hit.score.toFixed(6), similarity: hit.similarity.toFixed(6) }))
  }
  return {
    owner,
    contexts,
    documents: await Promise.all(contexts.map(({ id }) => session.documents.list(id))),
    hits: await Promise.all(contexts.map(({ id }) => search(id))),
    byWords: await Promise.all(contexts.map(({ id }) => search(id, 'keyword'))),
    companies: await administration.companies.list(),
    users: await administration.users.list(),
    keys: await administration.apiKeys.list(),
    destinations: await administration.destinations.list(),
    deliveries: (await administration.deliveries.list({})).items,
  }
}
