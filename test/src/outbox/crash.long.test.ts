import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DeliveryWithAttempts } from '../../../src/index.js'
import { type Receiver, startReceiver, status } from '../../adapters/https-transport/receiver.js'
import { forkProgram } from '../../child-program.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { DATABASES, type TestDatabase } from './database.js'
import { outboxEngine } from './outbox-engine.js'
import type { Hook } from './relay-child.js'

/** The time for which a dead relay keeps its deliveries. */
const LEASE_MS = 10_000
/** A margin for starting a process and reading the log. */
const SLACK_MS = 1_000

/** Processes wait for leases, not for each other, so all cases run at once. */
describe.concurrent.each(DATABASES)('a relay that is killed, on $name', ({ open }) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  beforeAll(async () => {
    folder = await temporaryFolder()
  })
  afterAll(async () => await folder.remove())

  // O1
  it('before the event is committed leaves no event and no delivery, and sends no request', async () => {
    const scene = await Scene.set(open, folder.path)
    await scene.killed('record:before-commit', 1)
    await scene.run()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await scene.log()).toEqual([])
    expect(scene.receiver.connections).toHaveLength(0)
    await scene.clear()
  })

  // O2
  it('after the commit, before a claim, delivers after the restart', async () => {
    const scene = await Scene.set(open, folder.path)
    await scene.killed('record:after-commit', 1)
    expect(await scene.log()).toMatchObject([{ status: 'pending', attempts: [] }])
    await scene.run()
    await scene.receiver.whenReceived(1)
    expect(await scene.whenSettled()).toMatchObject([{ status: 'succeeded', attemptCount: 1 }])
    await scene.clear()
  })

  // O3
  it('after the claim, before it sends, sends once the lease expires, not before, and consumes no attempt', async () => {
    const scene = await Scene.set(open, folder.path)
    await scene.record(1)
    await scene.killed('claim:after-commit')
    const diedAt = performance.now()
    expect(scene.receiver.connections).toHaveLength(0)
    await scene.run()
    const log = await scene.whenSettled()
    expect(scene.receiver.requests[0]?.atMs).toBeGreaterThan(diedAt + LEASE_MS - SLACK_MS)
    expect(log).toMatchObject([{ status: 'succeeded', attemptCount: 1, attempts: [{ outcome: 'success' }] }])
    expect(log[0]?.attempts).toHaveLength(1)
    expect(scene.receiver.connections).toHaveLength(1)
    await scene.clear()
  }, 180_000)

  // O4
  it.each([
    ['send:after', 'standard'],
    ['outcome:before-commit', 'long'],
  ] as const)(
    'after it sends, before it records that (%s, %s retries), sends a second POST of the same bytes, and logs one interrupted attempt',
    async (hook, retry) => {
      const scene = await Scene.set(open, folder.path, retry)
      await scene.record(1)
      await scene.killed(hook)
      expect(await scene.log()).toMatchObject([{ status: 'delivering', attempts: [{ outcome: null }] }])
      await scene.run()
      const [delivery] = await scene.whenSettled()
      expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1 })
      expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'success'])
      const [first, second, ...more] = scene.receiver.requests
      expect(more).toEqual([])
      expect(second?.body).toEqual(first?.body)
      expect(second?.body.toString()).toBe(delivery?.payload)
      expect(second?.headers).toEqual(first?.headers)
      await scene.clear()
    },
    180_000,
  )

  // O5
  it('after the final attempt, before it records that, ends the delivery in a terminal state with at most one more POST', async () => {
    const scene = await Scene.set(open, folder.path)
    scene.receiver.respond = status(500)
    await scene.record(1)
    await scene.killed('send-3:after')
    expect(scene.receiver.requests).toHaveLength(3)
    await scene.run()
    const [delivery] = await scene.whenSettled()
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: 3, httpStatus: 500 })
    expect(delivery?.attempts.map(({ outcome }) => outcome)).toEqual([
      'http_error',
      'http_error',
      'interrupted',
      'http_error',
    ])
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(scene.receiver.requests).toHaveLength(4)
    await scene.clear()
  }, 180_000)
})

/** A database, one destination, its receiver, and processes that start and stop. */
class Scene {
  readonly receiver: Receiver
  readonly #database: TestDatabase
  readonly #engine: Awaited<ReturnType<typeof outboxEngine>>
  readonly #caFile: string
  readonly #children: ChildProcess[] = []

  static async set(
    open: () => Promise<TestDatabase>,
    folder: string,
    retry: 'standard' | 'long' = 'standard',
  ): Promise<Scene> {
    const database = await open()
    const receiver = await startReceiver()
    const caFile = join(folder, `${receiver.port}.pem`)
    await writeFile(caFile, receiver.ca)
    // The engine has the clock of the children: otherwise they would trim its older entries from the log.
    const engine = await outboxEngine(database.storage(), { roles: [], clock: { now: () => new Date() } })
    await engine.engine.administration.destinations.create({ url: receiver.url, eventTypes: null, retry })
    return new Scene(database, receiver, engine, caFile)
  }

  constructor(
    database: TestDatabase,
    receiver: Receiver,
    engine: Awaited<ReturnType<typeof outboxEngine>>,
    caFile: string,
  ) {
    this.#database = database
    this.receiver = receiver
    this.#engine = engine
    this.#caFile = caFile
  }

  async record(agentId: number): Promise<void> {
    await this.#engine.record(agentId)
  }

  /** Starts a process, lets it record an event if one is given, and waits until it has killed itself. */
  async killed(hook: Hook, agentId?: number): Promise<void> {
    const child = await this.#start(hook, agentId === undefined ? 'relay' : '')
    if (agentId !== undefined) {
      await once(child, 'message')
      child.send(agentId)
    }
    await vi.waitFor(() => expect(child.signalCode).toBe('SIGKILL'), { timeout: 30_000, interval: 20 })
  }

  /** Starts a process that keeps running. */
  async run(): Promise<void> {
    await once(await this.#start('none', 'relay'), 'message')
  }

  async log(): Promise<readonly DeliveryWithAttempts[]> {
    return await this.#engine.log()
  }

  async whenSettled(): Promise<readonly DeliveryWithAttempts[]> {
    return await this.#engine.whenSettled(LEASE_MS + 20_000)
  }

  async clear(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await this.#engine.engine.close()
    await this.receiver.close()
    await this.#database.dispose()
  }

  async #start(hook: Hook, roles: string): Promise<ChildProcess> {
    const script = join(import.meta.dirname, 'relay-child.ts')
    const child = await forkProgram(script, [this.#database.address, this.#caFile, hook, roles], { stdio: 'inherit' })
    this.#children.push(child)
    return child
  }
}
