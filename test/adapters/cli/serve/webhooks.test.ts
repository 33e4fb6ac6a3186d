import { createHmac } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import type {
  Delivery,
  DeliveryWithAttempts,
  Destination,
  DestinationWithSecret,
  RecordedEvent,
} from '../../../../src/index.js'
import { runningTime } from '../../../running-time.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import type { Outcome } from '../run-alcove.js'
import { runAlcoveHere } from '../run-alcove-here.js'
import { type HttpsReceiver, startHttpsReceiver } from './https-receiver.js'
import { type Served, serveAlcove } from './serve-alcove.js'

const JOB = '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34'
const STARTED = ['event', 'record', 'run.started', `{"jobKey":"${JOB}"}`]
const ALLOW = ['--webhook-allow', '127.0.0.0/8']
const NO_ADDRESS = 'https://127.0.0.1:9443/hook'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let key: { clientId: string; clientSecret: string }
const servers: Served[] = []
const receivers: HttpsReceiver[] = []

beforeEach(async () => {
  folder = await temporaryFolder()
  key = await json('init')
})

afterEach(async () => {
  for (const served of servers.splice(0)) await served.stop('SIGKILL')
  for (const receiver of receivers.splice(0)) await receiver.close()
  await folder.remove()
})

const alcove = async (args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  await runAlcoveHere(args, { cwd: folder.path, env })

/** Runs a command that must succeed. @returns the one JSON value on its stdout */
async function json<T = Record<string, unknown>>(...args: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await alcove([...args, '--json'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

/** Runs a command that must succeed. @returns its output as text */
async function text(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await alcove(args)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

async function expectError(
  exitCode: number,
  message: RegExp,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  const outcome = await alcove(args, env)
  expect([outcome.exitCode, outcome.stdout], outcome.stderr).toEqual([exitCode, ''])
  expect(outcome.stderr).toMatch(message)
  expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
}

async function receive(httpStatus?: () => number): Promise<HttpsReceiver> {
  const receiver = await startHttpsReceiver(folder.path, httpStatus)
  receivers.push(receiver)
  return receiver
}

async function serve(receiver: HttpsReceiver | undefined, ...args: readonly string[]): Promise<Served> {
  const env = receiver === undefined ? {} : { NODE_EXTRA_CA_CERTS: receiver.certificateFile }
  const served = await serveAlcove(args, { cwd: folder.path, env })
  servers.push(served)
  return served
}

/** Waits until a delivery has a terminal status. */
async function settled(id: number): Promise<DeliveryWithAttempts> {
  const show = async (): Promise<DeliveryWithAttempts> => await json('delivery', 'show', String(id))
  const options = { timeout: 20_000, interval: 300 }
  await expect.poll(async () => (await show()).status, options).not.toMatch(/^(pending|delivering)$/)
  return await show()
}

describe('alcove destination', () => {
  it('adds, lists, shows, rotates and removes destinations', async () => {
    const added = await json<DestinationWithSecret>('destination', 'add', NO_ADDRESS, '--name', 'Mine', ...ALLOW)
    const { secret, ...record } = added
    expect(secret).toMatch(/^whsec_.{32,}$/)
    const timestamp = expect.stringMatching(/^\d{4}-/) as string
    expect(record).toEqual({
      id: 1,
      customerId: 1,
      url: NO_ADDRESS,
      name: 'Mine',
      eventTypes: null,
      includeDescendants: false,
      signatureScheme: 'service',
      retry: 'standard',
      disabled: false,
      disabledReason: null,
      failingSince: null,
      previousSecretExpires: null,
      created: timestamp,
      updated: timestamp,
    })
    const { id: company } = await json('company', 'create', 'Sub', '--parent', '1')
    const said = await text(
      ...['destination', 'add', 'https://10.1.2.3:8443/x', '--events', 'run.failed, agent.created'],
      ...['--company', String(company), '--include-descendants', '--webhook-allow', '192.0.2.1,10.1.0.0/16'],
    )
    const [first, second = '', third, fourth] = said.trim().split('\n')
    expect(first).toBe('Added destination 2, https://10.1.2.3:8443/x.')
    expect(second).toMatch(/^Signing secret: whsec_/)
    expect(third).toBe('Save the secret now: it is not shown a second time.')
    expect(fourth).toBe(
      'The server checks each delivery again: start "alcove serve" with --webhook-allow 192.0.2.1,10.1.0.0/16 too.',
    )

    const listed = await json<Destination[]>('destination', 'list')
    expect(listed).toMatchObject([
      record,
      { id: 2, customerId: company, name: null, eventTypes: ['run.failed', 'agent.created'], includeDescendants: true },
    ])
    expect(await json('destination', 'show', '1')).toEqual(record)
    const shown = await Promise.all([text('destination', 'list'), text('destination', 'show', '1')])
    expect(shown[0]).toMatch(
      /│ 1 +│ 1 +│ https:\/\/127\.0\.0\.1:9443\/hook +│ Mine +│ the nine run and agent types +│ false/,
    )
    expect(shown[1]).toContain('eventTypes: the nine run and agent types\n')

    const rotated = await json<DestinationWithSecret>('destination', 'rotate', '1')
    expect({ ...rotated, updated: record.updated }).toEqual({ ...record, secret: rotated.secret })
    const saidThen = await text('destination', 'rotate', '1')
    expect(saidThen).toMatch(/^Replaced the signing secret of destination 1, .*\.\nSigning secret: whsec_/)
    const secrets = [added.secret, second.slice(-50), rotated.secret, /whsec_\S+/.exec(saidThen)?.[0]]
    expect(new Set(secrets).size).toBe(4)
    for (const known of secrets) expect(JSON.stringify([listed, shown])).not.toContain(known)

    expect(await json('destination', 'remove', '1')).toEqual({})
    expect(await text('destination', 'remove', '2')).toBe('Removed destination 2, https://10.1.2.3:8443/x.\n')
    expect(await text('destination', 'list')).toBe('none\n')
    expect(await json('destination', 'list')).toEqual([])
  })

  it('updates a destination: what no option names stays, and the secret too', async () => {
    const add = [NO_ADDRESS, '--retry', 'long', '--signature-scheme', 'both', '--events', 'run.failed,document.failed']
    const added = await json<DestinationWithSecret>('destination', 'add', ...add, '--name', 'Mine', ...ALLOW)
    const { secret: _, id, ...record } = added
    expect(record).toMatchObject({
      retry: 'long',
      signatureScheme: 'both',
      eventTypes: ['run.failed', 'document.failed'],
    })
    const update = async (...args: readonly string[]) =>
      await json<Destination>('destination', 'update', String(id), ...args, ...ALLOW)
    const changed = await update('--signature-scheme', 'standard', '--descendants', 'on', '--disable')
    const changes = { signatureScheme: 'standard', includeDescendants: true, disabled: true, disabledReason: 'manual' }
    expect(changed).toEqual({ ...record, id, ...changes, updated: changed.updated })
    expect(await update('--events', 'all', '--enable', '--retry', 'standard')).toMatchObject({
      name: 'Mine',
      eventTypes: null,
      disabled: false,
      retry: 'standard',
      signatureScheme: 'standard',
    })
    const rotated = await text('destination', 'rotate', String(id), '--overlap-hours', '2')
    expect(rotated).toMatch(/^The old secret signs too until \d{4}-\d\d-\d\dT[\d:.]+Z\.$/m)
    await expectError(1, /--overlap-hours: must be an integer from 0 to 168/, [
      ...['destination', 'rotate', String(id), '--overlap-hours', '1000'],
    ])
    await expectError(2, /'never' is invalid.*standard, long/s, [
      'destination',
      'update',
      String(id),
      '--retry',
      'never',
    ])
    await expectError(2, /cannot be used with option '--enable'/, [
      'destination',
      'update',
      '1',
      '--enable',
      '--disable',
    ])
    expect(await json<{ type: string }[]>('event', 'types')).toHaveLength(12)
    expect(await text('event', 'types')).toContain('document.deleted')
    await json('destination', 'remove', String(id))
  })

  // S14
  it('refuses addresses that are not public unless they are allowed, and invalid destinations', async () => {
    const add = (...args: readonly string[]): readonly string[] => ['destination', 'add', ...args]
    const refused =
      /127\.0\.0\.1 is not a public address; permit it with --webhook-allow .*\(ERR_DESTINATION_REFUSED\)$/m
    await expectError(1, refused, add(NO_ADDRESS))
    await expectError(1, refused, add(NO_ADDRESS, '--webhook-allow', '127.0.0.2'))
    await expectError(1, /^alcove: the port 22 may not be contacted \(ERR_/, add('https://8.8.8.8:22/', ...ALLOW))
    await expectError(1, /^alcove: url: must begin with https:\/\//, add('http://8.8.8.8/'))
    await expectError(1, /--events \[0\]: must be one of "run\.started", /, add('https://8.8.8.8/', '--events', 'nope'))
    await expectError(1, /--events: must name at least one type/, add('https://8.8.8.8/', '--events', ''))
    await expectError(
      1,
      /no company with the id 9 \(ERR_COMPANY_NOT_FOUND\)/,
      add('https://8.8.8.8/', '--company', '9'),
    )
    for (const network of ['127.0.0.0/33', '10.0.0.0/8,localhost'])
      await expectError(2, /Expected an address or a network, such as/, add(NO_ADDRESS, '--webhook-allow', network))
    const env = { ALCOVE_WEBHOOK_ALLOW: '10.0.0.0/8,127.0.0.1', ALCOVE_INCLUDE_DESCENDANTS: '0' }
    const added = await alcove([...add(NO_ADDRESS), '--json'], env)
    expect(JSON.parse(added.stdout)).toMatchObject({ id: 1, includeDescendants: false })
    await expectError(1, /has a destination with this URL already \(ERR_ALREADY_EXISTS\)/, add(NO_ADDRESS, ...ALLOW))
    for (const command of ['show', 'remove', 'rotate', 'test'])
      await expectError(1, /no destination with the id 7 \(ERR_DESTINATION_NOT_FOUND\)/, ['destination', command, '7'])
    await expectError(2, /Expected an id, a positive integer/, ['destination', 'show', 'x'])
    await expectError(2, /missing subcommand of 'destination'; expected one of add, update, list, show, remove/, [
      'destination',
    ])
  })
})

describe('alcove delivery', () => {
  it('lists deliveries with the newest id first, shows one, and resends one', async () => {
    for (const port of ['9443', '9444'])
      await json('destination', 'add', `https://127.0.0.1:${port}/`, ...ALLOW, '--name', port)
    const tested: Delivery[] = []
    for (const id of ['1', '1', '2']) tested.push(await json<Delivery>('destination', 'test', id))
    expect(tested[0]).toEqual({
      id: 1,
      eventId: expect.stringMatching(/^evt_/) as string,
      type: 'run.started',
      destinationId: 1,
      status: 'pending',
      httpStatus: null,
      attemptCount: 0,
      error: null,
      reason: null,
      created: expect.any(String) as string,
      updated: expect.any(String) as string,
    })
    const idsOf = async (...args: readonly string[]): Promise<number[]> =>
      (await json<Delivery[]>('delivery', 'list', ...args)).map(({ id }) => id)
    expect(await json('delivery', 'list')).toEqual(tested)
    expect(await idsOf('--limit', '2')).toEqual([2, 3])
    expect(await idsOf('--limit', '9000', '--destination', '1')).toEqual([1, 2])
    expect(await idsOf('--destination', '1', '--limit', '1', '--status', 'pending')).toEqual([2])
    expect(await idsOf('--status', 'succeeded')).toEqual([])
    expect(await json<Delivery>('delivery', 'resend', '1')).toMatchObject({ id: 4, eventId: tested[0]?.eventId })
    const shown = await json<DeliveryWithAttempts>('delivery', 'show', '4')
    expect(shown).toMatchObject({ id: 4, resendOf: 1, attempts: [] })
    expect(JSON.parse(shown.payload)).toMatchObject({ id: tested[0]?.eventId, type: 'run.started' })
    expect(await text('delivery', 'show', '4')).toContain(`\nresendOf: 1\npayload: ${shown.payload}\n`)
    expect(await text('delivery', 'list', '--limit', '1')).toMatch(/│ 4 +│ run\.started +│ 1 +│ pending/)
    const queued =
      /^Queued delivery \d \(run\.started\) to destination 1\. A running "alcove serve" on this folder sends it; if none runs, the next one does\.\n"alcove delivery show \d" shows its state\.\n$/
    expect(await text('delivery', 'resend', '1')).toMatch(queued)
    expect(await text('destination', 'test', '1')).toMatch(queued)
    // Waiting deliveries to a deleted destination are cancelled.
    await json('destination', 'remove', '1')
    expect(await idsOf('--status', 'cancelled')).toEqual([1, 2, 4, 5, 6])

    await expectError(1, /no destination with the id 1 \(ERR_/, ['delivery', 'resend', '1'])
    await expectError(1, /no delivery with the id 99 \(ERR_DELIVERY_NOT_FOUND\)/, ['delivery', 'show', '99'])
    await expectError(2, /Allowed choices are pending, delivering/, ['delivery', 'list', '--status', 'done'])
    for (const limit of ['0', '1.5'])
      await expectError(2, /Expected a positive integer/, ['delivery', 'list', '--limit', limit])
  })
})

describe('alcove delivery list', () => {
  it('shows as many deliveries as --limit allows, over any number of pages', async () => {
    await json('destination', 'add', NO_ADDRESS, ...ALLOW)
    await json('destination', 'test', '1')
    const database = openSqlite(join(folder.path, 'alcove-data', 'alcove.sqlite'))
    const columns = 'event_row, event_id, type, destination_id, company_id, attempt_count, created, updated'
    await database.raw(
      `insert into alcove_deliveries (${columns}, status)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1100)
       select ${columns}, 'succeeded' from alcove_deliveries, numbers where id = 1`,
    )
    await database.destroy()
    const listed = await json<Delivery[]>('delivery', 'list', '--limit', '1050')
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 1_050 }, (_, index) => index + 52))
    expect(await json('delivery', 'list')).toHaveLength(50)
  })
})

describe('alcove event', () => {
  it('records an event of the root company, or of another', async () => {
    const { id: company } = await json('company', 'create', 'Sub', '--parent', '1')
    await json('destination', 'add', NO_ADDRESS, ...ALLOW, '--events', 'run.started', '--include-descendants')
    const recorded = await json<RecordedEvent>(...STARTED)
    expect(recorded).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/) as string,
      version: 'v1',
      type: 'run.started',
      event_category: 'run',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      data: { jobKey: JOB },
      customerId: 1,
      deliveries: 1,
    })
    expect(await json(...STARTED, '--company', String(company))).toMatchObject({ customerId: company, deliveries: 1 })
    expect(await text(...STARTED)).toMatch(
      /^Recorded run\.started, evt_\w+, for 1 destination\.\nA running "alcove serve" on this folder sends it/,
    )
    expect(await text('event', 'record', 'agent.deleted', '{"agentId":7}')).toMatch(
      /^Recorded agent\.deleted, evt_\w+, for no destination, because none subscribes to it\.\n$/,
    )
    expect(await json('delivery', 'list')).toHaveLength(3)
  })

  // D16
  it('refuses an invalid event, and records nothing', async () => {
    await json('destination', 'add', NO_ADDRESS, ...ALLOW)
    const record = (...args: readonly string[]): readonly string[] => ['event', 'record', ...args]
    await expectError(2, /argument 'data'\. Expected JSON/, record('run.started', '{jobKey:1}'))
    await expectError(2, /argument 'type'\. Allowed choices are run\.started, /, record('agent.updated', '{}'))
    await expectError(2, /missing required argument 'data'/, record('run.started'))
    await expectError(1, /data\.jobKey: is required/, record('run.started', '{}'))
    await expectError(1, /data\.jobKey: must be a UUID/, record('run.started', '{"jobKey":"7"}'))
    await expectError(1, /data\.extra: unknown option "extra"/, record('run.started', `{"jobKey":"${JOB}","extra":1}`))
    await expectError(1, /data: must be an object/, record('run.started', '[]'))
    await expectError(1, /no company with the id 9/, [...STARTED, '--company', '9'])
    expect(await json('delivery', 'list')).toEqual([])
  })
})

describe('an alcove command beside a server', () => {
  // D14
  it('records an event that reaches a receiver within about a second, and neither stores nor prints a secret', async () => {
    const receiver = await receive()
    const served = await serve(receiver, ...ALLOW)
    // This command may name an address that the server may contact, without a list of its own.
    const added = await json<DestinationWithSecret>('destination', 'add', receiver.url)
    expect(receiver.connections()).toBe(0)
    const recorded = await json<RecordedEvent>(...STARTED)
    const ranMs = runningTime()
    await expect.poll(() => receiver.received.length, { timeout: 10_000, interval: 20 }).toBe(1)
    expect(ranMs()).toBeLessThan(1_500)
    const [request] = receiver.received
    const { customerId: _, deliveries: __, ...envelope } = recorded
    expect(request?.body.toString()).toBe(JSON.stringify(envelope))
    const hmac = createHmac('sha256', added.secret).update(request?.body ?? '')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'run.started',
      'x-service-signature': `sha256=${hmac.digest('hex')}`,
    })
    const delivery = await settled(1)
    expect(delivery).toMatchObject({ status: 'succeeded', httpStatus: 200, attemptCount: 1 })
    expect(delivery.attempts).toMatchObject([{ outcome: 'success', responseBody: 'thank you' }])
    expect(await text('delivery', 'show', '1')).toMatch(
      /\nattempts: 1\. \S+Z success 200 after \d+ ms\n {5}answer: thank you\n$/,
    )
    const tested = await json<Delivery>('destination', 'test', '1')
    expect((await settled(tested.id)).status).toBe('succeeded')
    const { secret } = await json<DestinationWithSecret>('destination', 'rotate', '1')
    expect((await settled((await json<Delivery>('delivery', 'resend', '1')).id)).status).toBe('succeeded')
    const resent = receiver.received.at(-1)
    expect(resent?.body).toEqual(request?.body)
    expect(resent?.headers['x-service-signature']).toBe(
      `sha256=${createHmac('sha256', secret)
        .update(resent?.body ?? '')
        .digest('hex')}`,
    )
    expect(await served.stop()).toBe(0)
    const files = ['alcove.sqlite', 'alcove.sqlite-wal', 'alcove.lock.json'].map(async (name) => {
      return await readFile(join(folder.path, 'alcove-data', name)).catch(() => Buffer.alloc(0))
    })
    const all = Buffer.concat([...(await Promise.all(files)), Buffer.from(served.stdout() + served.stderr())])
    expect(served.stderr()).toContain('"name":"outbox.attempt"')
    for (const known of [added.secret, secret]) expect(all.includes(known.slice(6))).toBe(false)
  })

  // S14
  it('causes no request to an address that the server does not allow, even when the command allows it', async () => {
    const receiver = await receive()
    await serve(receiver, '--log-level', 'silent')
    await expectError(1, /is not a public address/, ['destination', 'add', receiver.url])
    await json('destination', 'add', receiver.url, ...ALLOW)
    const { id } = await json<Delivery>('destination', 'test', '1')
    const blocked = { status: 'blocked', attemptCount: 1, attempts: [{ outcome: 'blocked', httpStatus: null }] }
    expect(await settled(id)).toMatchObject(blocked)
    expect(await text('delivery', 'show', String(id))).toContain(
      '\nerror: 127.0.0.1 is not a public address; permit it with --webhook-allow of "alcove serve"\n',
    )
    expect(receiver.connections()).toBe(0)
  })

  // S13
  it.each(['127.0.0.1', '0.0.0.0'])('causes no request to the server itself, which listens on %s', async (host) => {
    const receiver = await receive()
    const served = await serve(receiver, ...ALLOW, '--host', host, '--log-level', 'silent')
    const { port } = new URL(served.address)
    const own = `https://127.0.0.1:${port}/hook`
    const address = `http://127.0.0.1:${port}`
    const form = { grant_type: 'client_credentials', client_id: key.clientId, client_secret: key.clientSecret }
    const asked = { method: 'POST', body: new URLSearchParams({ ...form, target_app: 'tenant' }) }
    const { access_token: token } = (await (await fetch(`${address}/connect/token`, asked)).json()) as {
      access_token: string
    }
    const add = async (url: string): Promise<[number, string]> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ url, eventTypes: null })
      const answer = await fetch(`${address}/v1/outbound-webhooks/destinations`, { method: 'POST', headers, body })
      return [answer.status, await answer.text()]
    }
    const spellings = [own, `https://127.1:${port}/`, `https://2130706433:${port}/`]
    if (host === '0.0.0.0') spellings.push(`https://127.0.0.2:${port}/`)
    for (const url of spellings)
      expect(await add(url)).toEqual([400, expect.stringContaining('is an address of the engine itself')])
    expect((await add(receiver.url))[0]).toBe(201)
    // A command beside the server does not know where the server listens; the relay does.
    const { id } = await json<Destination>('destination', 'add', own)
    const tested = await json<Delivery>('destination', 'test', String(id))
    expect(await settled(tested.id)).toMatchObject({
      status: 'blocked',
      error: '127.0.0.1 is an address of the engine itself',
      attempts: [{ outcome: 'blocked' }],
    })
    const { id: other } = await json<Delivery>('destination', 'test', '1')
    expect((await settled(other)).status).toBe('succeeded')
  })
})

describe('an alcove command without a server', () => {
  it('queues a delivery for the next server, and no other command sends it', async () => {
    const receiver = await receive()
    await json('destination', 'add', receiver.url, ...ALLOW)
    await json(...STARTED)
    // These commands work on the folder, but do not know which addresses may be contacted.
    await json('context', 'create', 'C')
    await writeFile(join(folder.path, 'a.txt'), 'some text')
    expect(await alcove(['ingest', '--context', 'C', 'a.txt'])).toMatchObject({ exitCode: 0 })
    await json('context', 'delete', 'C')
    expect(await json('delivery', 'list')).toMatchObject([{ status: 'pending', attemptCount: 0 }])
    const ingest = await serve(receiver, ...ALLOW, '--roles', 'http,ingest', '--log-level', 'silent')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await ingest.stop()).toBe(0)
    expect(receiver.connections()).toBe(0)
    await serve(receiver, ...ALLOW, '--roles', 'relay', '--log-level', 'silent')
    expect(await settled(1)).toMatchObject({ status: 'succeeded', attemptCount: 1 })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('alcove serve', () => {
  it.each<[string, string[], RegExp]>([
    ['an invalid network', ['--webhook-allow', '10.0.0.0/8', '--webhook-allow', 'all'], /Expected an address or a/],
    ['zero days', ['--webhook-retention-days', '0'], /Expected a number of days, 1 to 36500/],
    ['too many days', ['--webhook-retention-days', '36501'], /Expected a number of days, 1 to 36500/],
  ])('refuses %s', async (_what, args, message) => {
    await expectError(2, message, ['serve', '--port', '0', ...args])
  })

  it('removes deliveries after 30 days, or after the configured time', async () => {
    await json('destination', 'add', NO_ADDRESS, ...ALLOW)
    for (let count = 0; count < 2; count += 1) await json('destination', 'test', '1')
    const database = openSqlite(join(folder.path, 'alcove-data', 'alcove.sqlite'))
    const aged = new Date(Date.now() - 20 * 86_400_000).toISOString()
    for (const table of ['alcove_deliveries', 'alcove_events']) await database(table).update({ created: aged })
    await database('alcove_deliveries').update({ status: 'succeeded' })
    await database('alcove_jobs').delete()
    const left = async (): Promise<number[]> =>
      await Promise.all(
        ['alcove_deliveries', 'alcove_events'].map(async (table) => (await database(table).select('id')).length),
      )
    const keeping = await serve(undefined, '--log-level', 'silent')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await left()).toEqual([2, 2])
    await keeping.stop()
    await database('alcove_jobs').delete()
    await serve(undefined, '--log-level', 'silent', '--webhook-retention-days', '19')
    await expect.poll(left, { timeout: 10_000 }).toEqual([0, 0])
    await database.destroy()
  })
})

describe('the key that secrets are encrypted with', () => {
  it("may be an operator's file for all commands, and no other key opens the folder", async () => {
    const made = join(folder.path, 'alcove-data/keys/secret-key')
    const kept = join(folder.path, 'secret.key')
    await rename(made, kept)
    const env = { ALCOVE_SECRET_KEY_FILE: kept }
    for (const args of [
      ['destination', 'add', NO_ADDRESS, ...ALLOW, '--secret-key-file', 'secret.key'],
      ['company', 'list', '--secret-key-file', kept],
      ['--secret-key-file', kept, 'context', 'create', 'C'],
    ])
      expect(await alcove(args)).toMatchObject({ exitCode: 0 })
    expect(await alcove(['search', '--context', 'C', 'x'], env)).toMatchObject({ exitCode: 0 })
    const served = await serveAlcove([], { cwd: folder.path, env })
    servers.push(served)
    expect(await served.stop()).toBe(0)
    await expect(readFile(made)).rejects.toThrow('ENOENT')

    const missing =
      /is missing, but the database has secrets encrypted with it: put the file back, or give .*\(ERR_SECRET_KEY\)/
    for (const args of [
      ['destination', 'list'],
      ['serve', '--port', '0'],
    ])
      await expectError(1, missing, args)
    await expect(readFile(made)).rejects.toThrow('ENOENT')
    const another = /the secrets of this database are encrypted with another secret-encryption key.*\(ERR_SECRET_KEY\)/
    await writeFile(kept, `${Buffer.alloc(32, 9).toString('base64')}\n`)
    await expectError(1, another, ['destination', 'list', '--secret-key-file', kept])
    await writeFile(kept, 'no key')
    await expectError(
      1,
      /secret\.key, must contain 32 bytes as base64.*\(ERR_SECRET_KEY\)/,
      ['event', ...STARTED.slice(1)],
      env,
    )
    await expectError(2, /Expected the path of a file/, ['company', 'list', '--secret-key-file', ''])
  })

  it("may be the operator's file from the first init", async () => {
    const file = join(folder.path, 'own.key')
    const options = ['--data-dir', 'other', '--secret-key-file', 'own.key']
    expect(Object.keys(await json('init', ...options))).toContain('clientSecret')
    expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toHaveLength(32)
    await json('destination', 'add', NO_ADDRESS, ...ALLOW, ...options)
    await expectError(1, /\(ERR_SECRET_KEY\)/, ['destination', 'rotate', '1', '--data-dir', 'other'])
  })
})
