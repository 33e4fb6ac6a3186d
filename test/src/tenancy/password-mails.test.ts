import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryMailer, MemoryPasswordHasher, MemoryStorage } from '../../../adapters/memory/index.js'
import { type EngineLimits, MailError, type MailSettings } from '../../../src/index.js'
import type { Mail, Storage } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

const STORAGES: readonly { readonly name: string; readonly open: () => Promise<[Storage, () => Promise<void>]> }[] = [
  { name: 'memory', open: async () => [new MemoryStorage(), () => Promise.resolve()] },
  ...DATABASES.map(({ name, open }) => ({
    name,
    open: async (): Promise<[Storage, () => Promise<void>]> => {
      const database = await open()
      return [database.storage(), () => database.dispose()]
    },
  })),
]

/** A mail server that is unreachable for as long as the test sets. */
class AbsentMailer extends MemoryMailer {
  override readonly isImmediate = false
  isAway = true

  override async send(mail: Mail): Promise<void> {
    if (this.isAway) throw new MailError('the mail server is away', { isTransient: true })
    await super.send(mail)
  }
}

const EMAIL = 'ada@example.com'
const FIRST = 'correct horse battery'
const SECOND = 'another horse battery'
const TITLE = 'Your password was changed'

let memory: MemoryEngine
let mailer: MemoryMailer
let storage: Storage
let dispose: () => Promise<void>

async function start(options: { mailer?: MemoryMailer; mail?: MailSettings; limits?: Partial<EngineLimits> } = {}) {
  mailer = options.mailer ?? new MemoryMailer()
  memory = await memoryEngine({ storage, ...options, mailer })
}

async function addUser(email = EMAIL): Promise<number> {
  return (await memory.engine.administration.users.add({ email, companyId: 1, name: 'Ada "L"' })).id
}

const linkOf = (mail: Mail | undefined): string => /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
const notices = (): Mail[] => mailer.sent.filter(({ subject }) => subject === TITLE)
const logsIn = async (password: string): Promise<boolean> =>
  (await memory.engine.administration.verifyPassword(EMAIL, password)) !== undefined

async function reset(password: string): Promise<void> {
  await memory.engine.authentication.requestPasswordReset({ email: EMAIL })
  await memory.engine.authentication.setPassword({ token: linkOf(mailer.sent.at(-1)), password })
}

describe.each(STORAGES)('on $name, a mail about a changed password', ({ open }) => {
  beforeEach(async () => {
    ;[storage, dispose] = await open()
  })

  afterEach(async () => {
    await memory.engine.close()
    await dispose()
  })

  // A52
  it('is sent once for each change, by a link or by the host, to the affected user only', async () => {
    await start()
    const id = await addUser()
    await addUser('grace@example.com')
    const invitation = linkOf(mailer.sent[0])
    await memory.engine.authentication.setPassword({ token: invitation, password: FIRST })
    expect(notices()).toEqual([])
    await reset(SECOND)
    expect(notices()).toHaveLength(1)
    await memory.engine.administration.users.completeSetup(id, FIRST)
    expect(notices().map(({ to }) => to.address)).toEqual([EMAIL, EMAIL])
    // These calls change no password.
    await memory.engine.administration.users.completeSetup(id)
    const secondUse = memory.engine.authentication.setPassword({ token: invitation, password: SECOND })
    await expect(secondUse).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
    await expect(memory.engine.administration.users.completeSetup(id, 'short')).rejects.toThrow('12 characters')
    expect(notices()).toHaveLength(2)
    expect(await logsIn(FIRST)).toBe(true)
  })

  // A52
  it('is sent once when a link is used twice at the same time', async () => {
    await start()
    await memory.engine.administration.users.completeSetup(await addUser(), FIRST)
    await memory.engine.authentication.requestPasswordReset({ email: EMAIL })
    const input = { token: linkOf(mailer.sent.at(-1)), password: SECOND }
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => memory.engine.authentication.setPassword(input)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(notices()).toHaveLength(1)
  })

  // A52
  it('over its limit is dropped, and the password is changed nevertheless', async () => {
    await start({ limits: { mailsPerAddressPerHour: 2, mailsPerCompanyPerHour: 4 } })
    const id = await addUser()
    for (const [at, password] of [FIRST, SECOND, FIRST, SECOND].entries()) {
      await memory.engine.administration.users.completeSetup(id, password)
      expect(notices()).toHaveLength(Math.min(at, 2))
      expect(await logsIn(password)).toBe(true)
    }
    const dropped = memory.telemetry.events.filter(({ name }) => name === 'mail.dropped')
    expect(dropped).toMatchObject([{ level: 'warn', fields: { userId: id, purpose: 'password-changed' } }])
    // Mails with a link have a separate counter.
    await memory.engine.authentication.requestPasswordReset({ email: EMAIL })
    expect(mailer.sent.at(-1)?.subject).toBe('Reset your password')
    // The company's limit does not stop the change either.
    memory.clock.advance(3_600_000)
    for (const at of [1, 2, 3, 4]) await addUser(`user-${at}@example.com`)
    await memory.engine.administration.users.completeSetup(id, FIRST)
    expect([notices().length, await logsIn(FIRST)]).toEqual([2, true])
  })

  // A52
  it('waits while the mail server is unreachable, and does not count as a link', async () => {
    const absent = new AbsentMailer()
    await start({ mailer: absent })
    const id = await addUser()
    for (const password of [FIRST, SECOND, FIRST, SECOND, FIRST, SECOND]) {
      await memory.engine.administration.users.completeSetup(id, password)
      expect(await logsIn(password)).toBe(true)
    }
    // Five mails about changes wait, and the invitation.
    expect(await storage.read(({ mails }) => mails.countOfUser(id))).toBe(6)
    await memory.engine.authentication.requestPasswordReset({ email: EMAIL })
    expect(await storage.read(({ mails }) => mails.countOfUser(id))).toBe(7)
    absent.isAway = false
    await vi.waitFor(() => expect(notices()).toHaveLength(5), 15_000)
  })
})

describe('a mail about a changed password', () => {
  beforeEach(() => {
    storage = new MemoryStorage()
  })

  afterEach(async () => {
    await memory.engine.close()
  })

  // A52
  it('names the user, the time and the next step, without a link or a secret', async () => {
    await start()
    const id = await addUser()
    await memory.engine.administration.users.completeSetup(id, FIRST)
    const when = memory.clock.now().toISOString().slice(0, 16).replace('T', ' ')
    await memory.engine.administration.users.completeSetup(id, SECOND)
    const [mail] = notices()
    expect(mail?.to).toEqual({ name: 'Ada "L"', address: EMAIL })
    expect(mail?.text).toBe(
      [
        'Hello Ada "L",',
        `The password of ${EMAIL} at Root company was changed on ${when} UTC.`,
        'If you changed it, there is nothing to do. If you did not, request a new password where you log in, and tell an administrator of your company.\n',
      ].join('\n\n'),
    )
    expect(mail?.html).toContain('<p>Hello Ada &#34;L&#34;,</p>')
    expect(mail?.html).toContain(`was changed on ${when} UTC.`)
    const all = JSON.stringify(mail)
    for (const secret of [FIRST, SECOND, 'http', 'href', 'token']) expect(all).not.toContain(secret)
    const { passwordHash } = (await storage.read(({ users }) => users.get(id))) ?? {}
    expect(all).not.toContain(passwordHash)
  })

  // A45
  it('leaves out user names from before the rules, and company names that are links', async () => {
    await start()
    const company = await memory.engine.administration.companies.create({ name: 'Booking.example', parentId: 1 })
    const { id } = await storage.transaction(async ({ users }) =>
      users.insert({
        firstName: 'See',
        lastName: 'evil.com',
        name: 'See evil.com',
        companyId: company.id,
        email: EMAIL,
        emailKey: EMAIL,
        externalId: null,
        created: '2026-01-01T00:00:00.000Z',
        lastAccess: null,
        passwordHash: await new MemoryPasswordHasher().hash('old'),
      }),
    )
    await memory.engine.administration.users.completeSetup(id, SECOND)
    expect(notices()).toMatchObject([{ to: { name: '', address: EMAIL } }])
    expect(notices()[0]?.text).toMatch(/^Hello,\n/)
    expect(notices()[0]?.text).toContain(`${EMAIL} at company ${company.id} was changed`)
    expect(JSON.stringify(mailer.sent)).not.toMatch(/evil|Booking/)
  })

  // A52
  it('has the wording of the host, which receives neither a link nor its expiry', async () => {
    const subjects: unknown[] = []
    const writer: MailSettings['writer'] = (subject) => {
      subjects.push(subject)
      const text = subject.purpose === 'password-changed' ? `changed ${subject.happened}` : `link ${subject.link}`
      return { subject: 'Kennwort', text, html: text }
    }
    await start({ mail: { writer } })
    const id = await addUser()
    await memory.engine.administration.users.completeSetup(id, FIRST)
    const happened = memory.clock.now().toISOString()
    await memory.engine.administration.users.completeSetup(id, SECOND)
    expect(mailer.sent.at(-1)?.text).toBe(`changed ${happened}`)
    expect(subjects.at(-1)).toEqual({
      purpose: 'password-changed',
      user: { name: 'Ada "L"', email: EMAIL },
      companyName: 'Root company',
      happened,
    })
  })
})

describe('a password from before the rules', () => {
  // A51
  it('still works, and its hash does not change', async () => {
    storage = new MemoryStorage()
    await start()
    const id = await addUser()
    const passwordHash = await new MemoryPasswordHasher().hash('password')
    await storage.transaction(({ users }) => users.update(id, { passwordHash }))
    expect(await logsIn('password')).toBe(true)
    expect((await storage.read(({ users }) => users.get(id)))?.passwordHash).toBe(passwordHash)
    await memory.engine.close()
  })
})
