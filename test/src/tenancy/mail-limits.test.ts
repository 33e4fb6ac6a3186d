import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryMailer, MemoryStorage } from '../../../adapters/memory/index.js'
import type { EngineLimits, Session } from '../../../src/index.js'
import type { Storage } from '../../../src/ports/index.js'
import { expiryOfLinks } from '../../../src/tenancy/send-mail.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

interface Opened {
  readonly storage: Storage
  dispose(): Promise<void>
}

const STORAGES: readonly { readonly name: string; readonly open: () => Promise<Opened> }[] = [
  {
    name: 'memory',
    open: async () => ({ storage: new MemoryStorage(), dispose: () => Promise.resolve() }),
  },
  ...DATABASES.map(({ name, open }) => ({
    name,
    open: async () => {
      const database = await open()
      return { storage: database.storage(), dispose: () => database.dispose() }
    },
  })),
]

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  )
}

async function countsOf(works: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const code of await Promise.all(works.map(codeOf))) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

describe.each(STORAGES)('on $name, mails', ({ open }) => {
  let opened: Opened
  let memory: MemoryEngine
  let mailer: MemoryMailer
  let session: Session

  async function start(limits: Partial<EngineLimits> = {}): Promise<void> {
    mailer = new MemoryMailer()
    memory = await memoryEngine({ storage: opened.storage, mailer, limits })
    session = memory.session
  }

  beforeEach(async () => {
    opened = await open()
  })

  afterEach(async () => {
    await memory.engine.close()
    await opened.dispose()
  })

  // A40
  it('reach an address at most five times when 60 invitations are repeated at once, and other callers must wait', async () => {
    await start()
    const { id } = await session.users.add({ email: 'ada@example.com' })
    const repeated = await countsOf(times(60, () => session.users.reinitiate(id)))
    expect(repeated).toEqual({ done: 4, ERR_THROTTLED: 56 })
    expect(mailer.sent).toHaveLength(5)
    await expect(session.users.reinitiate(id)).rejects.toMatchObject({ retryAfterSeconds: 3_600 })
    memory.clock.advance(3_600_000)
    expect(await codeOf(session.users.reinitiate(id))).toBe('done')
    expect(mailer.sent).toHaveLength(6)
  })

  // A41
  it('limit how many users a company adds at the same time, and a refused call creates nothing', async () => {
    await start({ mailsPerCompanyPerHour: 3 })
    const added = await countsOf(times(12, (at) => session.users.add({ email: `user-${at}@example.com` })))
    expect(added).toEqual({ done: 3, ERR_THROTTLED: 9 })
    const users = await memory.engine.administration.users.list()
    expect(users).toHaveLength(4)
    expect(await memory.engine.administration.permissions.list()).toHaveLength(3 + 3)
    expect(mailer.sent).toHaveLength(3)
    // The limit of one company does not count mails of another.
    const other = await memory.engine.administration.companies.create({ name: 'Other', parentId: 1 })
    const byHost = memory.engine.administration.users.add({ email: 'ada@example.com', companyId: other.id })
    expect(await codeOf(byHost)).toBe('done')
    // A company's limit counts the mails that it causes in companies below it.
    const below = session.users.add({ email: 'grace@example.com', customerId: other.id })
    expect(await codeOf(below)).toBe('ERR_THROTTLED')
  })

  // A42
  it('of all companies together stay within the limit of the installation', async () => {
    await start({ mailsPerHour: 4 })
    const { administration } = memory.engine
    const companies = [1]
    for (const name of ['A', 'B']) companies.push((await administration.companies.create({ name, parentId: 1 })).id)
    const added = await countsOf(
      times(9, (at) => administration.users.add({ email: `u${at}@example.com`, companyId: companies[at % 3] ?? 1 })),
    )
    expect(added).toEqual({ done: 4, ERR_THROTTLED: 5 })
    expect(mailer.sent).toHaveLength(4)
  })

  // A43
  it('for resets beyond the limits are skipped silently: no error, no mail, and the same answer for any address', async () => {
    await start()
    const { id } = await session.users.add({ email: 'ada@example.com' })
    await memory.engine.administration.users.completeSetup(id)
    const { authentication } = memory.engine
    const request = (): Promise<void> => authentication.requestPasswordReset({ email: 'Ada@example.com' })
    expect(await countsOf(times(20, request))).toEqual({ done: 20 })
    expect(mailer.sent.length).toBeLessThanOrEqual(5)
    // A link counts twice while its mail is being sent, so requests at the same time may leave a place free.
    for (const again of times(5, () => request)) await again()
    expect(mailer.sent).toHaveLength(5)
    expect(await codeOf(authentication.requestPasswordReset({ email: 'nobody@example.com' }))).toBe('done')
  })

  // A48
  it('for resets that strangers request leave a company its own share', async () => {
    await start({ mailsPerCompanyPerHour: 3 })
    for (const name of ['ada', 'grace']) await session.users.add({ email: `${name}@example.com` })
    const { authentication } = memory.engine
    const reset = async (email: string): Promise<void> => await authentication.requestPasswordReset({ email })
    await countsOf(times(6, (at) => reset(`${['ada', 'grace'][at % 2]}@example.com`)))
    expect(mailer.sent).toHaveLength(2 + 3)
    expect(await codeOf(session.users.add({ email: 'alan@example.com' }))).toBe('done')
    expect(await codeOf(session.users.add({ email: 'emmy@example.com' }))).toBe('ERR_THROTTLED')
  })

  // A46
  it('give a user at most five open links, for any hourly limit', async () => {
    await start({ mailsPerAddressPerHour: 100 })
    const { id } = await session.users.add({ email: 'ada@example.com' })
    await memory.engine.administration.users.completeSetup(id)
    const request = () => memory.engine.authentication.requestPasswordReset({ email: 'ada@example.com' })
    await countsOf(times(20, request))
    // A link counts twice while its mail is being sent, so requests at the same time may leave a place free.
    for (const wait of times(5, () => request)) await wait().catch(() => undefined)
    const links = await opened.storage.read(({ passwordTokens }) =>
      passwordTokens.countOfUser(id, expiryOfLinks(memory.clock.now())),
    )
    expect(links).toBe(5)
  })
})

describe.each(DATABASES)('on $name, the counters of mails', ({ open }) => {
  // A47
  it('have names that reveal no address', async () => {
    const database = await open()
    const { engine, session } = await memoryEngine({ storage: database.storage() })
    await session.users.add({ email: 'ada@example.com' })
    const rows = await database.knex<{ name: string }>('alcove_rates').select('name')
    const names = rows.map(({ name }) => name).toSorted()
    await engine.close()
    await database.dispose()
    expect(names).toEqual([expect.stringMatching(/^mail:address:[0-9a-f]{64}$/), 'mail:all', 'mail:company:1'])
  })
})
