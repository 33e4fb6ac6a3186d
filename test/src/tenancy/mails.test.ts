import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryMailer } from '../../../adapters/memory/index.js'
import { MailError, type MailSettings } from '../../../src/index.js'
import type { Mail } from '../../../src/ports/index.js'
import { expiryOfLinks } from '../../../src/tenancy/send-mail.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'

/** A mailer that needs a durable job, and fails as often as the test sets. */
class SlowMailer extends MemoryMailer {
  override readonly isImmediate: boolean
  failures = 0
  isFinal = false

  constructor(isImmediate: boolean) {
    super()
    this.isImmediate = isImmediate
  }

  override async send(mail: Mail): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1
      throw new MailError('the mail server is away', { isTransient: !this.isFinal })
    }
    await super.send(mail)
  }
}

const NAME = `Ada "L" & 'Co'`
let memory: MemoryEngine | undefined

async function open(mailer: MemoryMailer, mail: MailSettings = {}): Promise<MemoryEngine> {
  memory = await memoryEngine({ mailer, mail })
  return memory
}

beforeEach(() => {
  memory = undefined
})

afterEach(async () => {
  await memory?.engine.close()
})

const add = async ({ engine }: MemoryEngine, email = 'ada@example.com'): Promise<void> => {
  await engine.administration.users.add({ email, companyId: 1, name: NAME })
}

describe('a mail', () => {
  it('is sent once, by a job, when sending may take long', async () => {
    const mailer = new SlowMailer(false)
    await add(await open(mailer))
    await vi.waitFor(() => expect(mailer.sent).toHaveLength(1), 5_000)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(mailer.sent).toHaveLength(1)
  })

  it('is retried until it is sent, and the user exists in the meantime', async () => {
    const mailer = new SlowMailer(false)
    mailer.failures = 2
    const opened = await open(mailer)
    await add(opened)
    expect(await opened.engine.administration.users.list()).toHaveLength(2)
    await vi.waitFor(() => expect(mailer.sent).toHaveLength(1), 10_000)
  })

  it('that was not sent leaves no link, so that the next one is not refused', async () => {
    const mailer = new SlowMailer(false)
    mailer.failures = 2
    const opened = await open(mailer)
    await add(opened)
    await vi.waitFor(() => expect(mailer.failures).toBeLessThan(2), 10_000)
    const user = (await opened.engine.administration.users.list())[1]
    const links = async (): Promise<number> =>
      await opened.storage.read(async ({ passwordTokens }) => {
        return await passwordTokens.countOfUser(user?.id ?? 0, expiryOfLinks(opened.clock.now()))
      })
    expect(await links()).toBe(0)
    await vi.waitFor(() => expect(mailer.sent).toHaveLength(1), 15_000)
    expect(await links()).toBe(1)
  })

  it('that waits counts for the limits: a stalled mail server collects no flood', async () => {
    const mailer = new SlowMailer(false)
    mailer.failures = 1_000
    const opened = await open(mailer)
    await add(opened)
    const reset = { email: 'ada@example.com' }
    await Promise.all(
      Array.from({ length: 20 }, async () => await opened.engine.authentication.requestPasswordReset(reset)),
    )
    const waiting = await opened.storage.read(async ({ mails }) => await mails.countOfUser(2))
    expect(waiting).toBeLessThanOrEqual(5)
  })

  it('that fails at once is left to the job, and rolls back nothing', async () => {
    const mailer = new SlowMailer(true)
    mailer.failures = 1
    const opened = await open(mailer)
    await add(opened)
    expect(mailer.sent).toHaveLength(0)
    expect(opened.telemetry.events.map(({ name }) => name)).toContain('mail.delayed')
    const waiting = await opened.storage.read(async ({ jobs }) => await jobs.waiting(['send-mail']))
    expect(waiting[0]?.dueInMs).toBeGreaterThan(0)
  })

  it('that no server ever accepts is abandoned and reported to telemetry', async () => {
    const mailer = new SlowMailer(false)
    mailer.failures = 1
    mailer.isFinal = true
    const opened = await open(mailer)
    await add(opened)
    await vi.waitFor(() => expect(opened.telemetry.events.map(({ name }) => name)).toContain('jobs.failed'), 5_000)
    await vi.waitFor(async () => {
      expect(await opened.storage.read(async ({ jobs }) => await jobs.waiting(['send-mail']))).toEqual([])
    })
    expect(mailer.sent).toHaveLength(0)
  })

  it('has the wording of the host, and links to its page', async () => {
    const mailer = new MemoryMailer()
    await add(
      await open(mailer, {
        setupUrl: 'https://app.example/welcome#{token}',
        writer: ({ purpose, user, companyName, link, expires }) => {
          const text = [purpose, user.email, companyName, link, expires].join(' ')
          return { subject: 'Willkommen', text, html: `<p>${text}</p>` }
        },
      }),
    )
    expect(mailer.sent).toMatchObject([{ to: { name: NAME, address: 'ada@example.com' }, subject: 'Willkommen' }])
    expect(mailer.sent[0]?.text).toMatch(
      /^invitation ada@example\.com Root company https:\/\/app\.example\/welcome#[\w-]{32} \d{4}-/,
    )
  })

  it('escapes the text that users enter', async () => {
    const mailer = new MemoryMailer()
    await add(await open(mailer), `"quoted&plain'"@example.com`)
    expect(mailer.sent[0]?.html).toContain(`Hello Ada &#34;L&#34; &#38; &#39;Co&#39;`)
    expect(mailer.sent[0]?.html).toContain('&#34;quoted&#38;plain&#39;&#34;@example.com')
    expect(mailer.sent[0]?.html).not.toContain('"L"')
  })

  // A45
  it('leaves out user names from before the rules, and company names that are links', async () => {
    const mailer = new MemoryMailer()
    const { engine, storage } = await open(mailer)
    const bad = 'You won, see evil.com'
    const names = { firstName: 'You won,', lastName: 'see evil.com', name: bad }
    const company = await engine.administration.companies.create({ name: 'Booking.example', parentId: 1 })
    const user = await storage.transaction(({ users }) =>
      users.insert({
        ...names,
        companyId: company.id,
        email: 'old@example.com',
        emailKey: 'old@example.com',
        externalId: null,
        created: '2026-01-01T00:00:00.000Z',
        lastAccess: null,
        passwordHash: null,
      }),
    )
    await engine.as(engine.owner).users.reinitiate(user.id)
    const [mail] = mailer.sent
    expect(mail).toMatchObject({ to: { name: '', address: 'old@example.com' } })
    expect(mail?.subject).toBe(`You are invited to company ${company.id}`)
    expect(mail?.text).toMatch(/^Hello,\n/)
    expect(JSON.stringify(mail)).not.toMatch(/evil|Booking/)
  })

  it.each(['app.example/{token}', 'https://app.example/', 'ftp://app.example/{token}'])(
    'cannot link to %s',
    async (setupUrl) => {
      await expect(open(new MemoryMailer(), { setupUrl })).rejects.toThrow('setupUrl: must be a web address')
    },
  )
})
