import assert from 'node:assert/strict'
import { type ClaimedJob, CRASHING_CLAIMS, type Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'

const KINDS = ['test']
const LEASE_MS = 60_000

/** Tests of jobs and their leases. */
export function defineJobTests(test: DefineTest<Storage>): void {
  test('lets only one worker claim a job', async (storage) => {
    await enqueue(storage, 1)
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(storage)))
    assert.equal(claims.filter((job) => job !== undefined).length, 1)
    assert.equal(claims.find((job) => job !== undefined)?.subject, 1)
  })

  test('returns claimed jobs in the order in which they became due', async (storage) => {
    for (const subject of [3, 1, 2]) await enqueue(storage, subject)
    const subjects = [await claim(storage), await claim(storage), await claim(storage)].map((job) => job?.subject)
    assert.deepEqual(subjects, [3, 1, 2])
    assert.equal(await claim(storage), undefined)
  })

  test('stores one job for each kind and subject', async (storage) => {
    await enqueue(storage, 1)
    await enqueue(storage, 1)
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'other', subject: 1 }))
    await claim(storage)
    assert.equal(await claim(storage), undefined)
    const [other] = await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['other'], leaseMs: LEASE_MS }))
    assert.equal(other?.kind, 'other')
  })

  test('keeps the trace of a job, and gives it with each claim', async (storage) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await storage.transaction(({ jobs }) =>
      jobs.enqueueAll([
        { kind: 'test', subject: 1, traceparent },
        { kind: 'test', subject: 2 },
      ]),
    )
    const [first, second] = [required(await claim(storage)), required(await claim(storage))]
    assert.deepEqual([first.traceparent, second.traceparent], [traceparent, null])
    await storage.transaction(({ jobs }) => jobs.release(first, { delayMs: 0, failed: true }))
    assert.equal((await claim(storage))?.traceparent, traceparent)
  })

  test('measures queues: jobs, due jobs, and the wait of the oldest due job', async (storage) => {
    const measure = async () => await storage.read(({ jobs }) => jobs.measure(['test', 'other', 'idle']))
    const idle = { kind: 'idle', jobs: 0, due: 0, oldestMs: 0 }
    assert.deepEqual(await measure(), [{ ...idle, kind: 'test' }, { ...idle, kind: 'other' }, idle])
    await enqueue(storage, 1)
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 2, lane: 7 }))
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'other', subject: 1 }, { delayMs: 60_000 }))
    await wait(30)
    const [test, other] = await measure()
    assert.deepEqual([test?.jobs, test?.due], [2, 2])
    assert.ok((test?.oldestMs ?? 0) >= 20 && (test?.oldestMs ?? 0) < 60_000, `${test?.oldestMs} ms`)
    // A job that is due later does not wait, and neither does one that a worker holds.
    assert.deepEqual(other, { kind: 'other', jobs: 1, due: 0, oldestMs: 0 })
    await claim(storage)
    await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs: LEASE_MS }))
    assert.deepEqual((await measure())[0], { kind: 'test', jobs: 2, due: 0, oldestMs: 0 })
  })

  test('counts the jobs of a kind by their state', async (storage) => {
    const none = { waiting: 0, running: 0, delayed: 0, retrying: 0, crashing: 0 }
    const count = async () => await storage.read(({ jobs }) => jobs.countStates(['test', 'other']))
    assert.deepEqual(await count(), [
      { kind: 'test', ...none },
      { kind: 'other', ...none },
    ])
    for (let subject = 1; subject <= 3; subject += 1) await enqueue(storage, subject)
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'other', subject: 1 }, { delayMs: 60_000 }))
    const failing = required(await claim(storage))
    await storage.transaction(({ jobs }) => jobs.release(failing, { delayMs: 60_000, failed: true }))
    await claim(storage)
    assert.deepEqual(await count(), [
      { kind: 'test', ...none, waiting: 1, running: 1, delayed: 1, retrying: 1 },
      { kind: 'other', ...none, delayed: 1 },
    ])
    // Three processes claim a job, and end without a word.
    for (let claims = 0; claims < CRASHING_CLAIMS; claims += 1) {
      const crashed = required(await claim(storage))
      assert.equal(crashed.subject, 3)
      await storage.transaction(({ jobs }) => jobs.extend(crashed, 1))
      await wait(20)
    }
    const [test] = await count()
    assert.deepEqual(test, { kind: 'test', waiting: 1, running: 1, delayed: 1, retrying: 1, crashing: 1 })
  })

  test('lists the subjects of a kind page by page, including those of claimed jobs', async (storage) => {
    for (const subject of [30, 10, 20]) await enqueue(storage, subject)
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'other', subject: 5 }))
    await claim(storage)
    await storage.read(async ({ jobs }) => {
      assert.deepEqual(await jobs.subjects('test', { after: 0, limit: 10 }), [10, 20, 30])
      assert.deepEqual(await jobs.subjects('test', { after: 10, limit: 1 }), [20])
      assert.deepEqual(await jobs.subjects('none', { after: 0, limit: 10 }), [])
    })
  })

  test('lets another worker claim a job after its lease has expired, with a new fencing token', async (storage) => {
    await enqueue(storage, 1)
    const first = required(await claim(storage))
    assert.equal(await claim(storage), undefined)
    await storage.transaction(({ jobs }) => jobs.extend(first, 30))
    await wait(60)
    const second = required(await claim(storage))
    assert.equal(second.id, first.id)
    assert.notEqual(second.fencingToken, first.fencingToken)
  })

  test('extends and completes many jobs in one call and reports a lost one', async (storage) => {
    for (let subject = 1; subject <= 130; subject += 1) await enqueue(storage, subject)
    const claimed = await storage.transaction(({ jobs }) =>
      jobs.claim({ kinds: KINDS, leaseMs: LEASE_MS, lanes: [{ lane: 0, most: 130 }] }),
    )
    const stale = claimed.map((job, index) => (index === 120 ? { ...job, fencingToken: job.fencingToken - 1 } : job))
    assert.equal(await storage.transaction(({ jobs }) => jobs.extendAll(stale, LEASE_MS)), false)
    assert.equal(await storage.transaction(({ jobs }) => jobs.extendAll(claimed, 1, { isProgress: true })), true)
    await wait(20)
    const next = required(await claim(storage))
    assert.equal(next.claims, 1, 'progress was recorded')
    const others = claimed.filter(({ id }) => id !== next.id)
    assert.equal(await storage.transaction(({ jobs }) => jobs.completeAll(others)), true)
    assert.equal(await storage.transaction(({ jobs }) => jobs.completeAll(others)), false)
    const left = await storage.read(({ jobs }) => jobs.subjects('test', { after: 0, limit: 10 }))
    assert.deepEqual(left, [next.subject])
  })

  test('refuses records of a worker that has lost its lease', async (storage) => {
    await enqueue(storage, 1)
    const stale = required(await claim(storage, 1))
    await wait(20)
    const current = required(await claim(storage))
    await storage.transaction(async ({ jobs }) => {
      assert.equal(await jobs.extend(stale, LEASE_MS), false)
      assert.equal(await jobs.complete(stale), false)
      assert.equal(await jobs.release(stale, { delayMs: 0, failed: true }), false)
      assert.equal(await jobs.extend(current, LEASE_MS), true)
      assert.equal(await jobs.complete(current), true)
      assert.equal(await jobs.complete(current), false)
    })
    assert.equal(await claim(storage), undefined)
  })

  test('keeps a job claimed while its lease is extended', async (storage) => {
    await enqueue(storage, 1)
    const job = required(await claim(storage, 2500))
    for (let beat = 0; beat < 4; beat += 1) {
      await wait(800)
      assert.equal(await storage.transaction(({ jobs }) => jobs.extend(job, 2500)), true)
      assert.equal(await claim(storage), undefined)
    }
  })

  test('releases a job with a later due time and counts its failures', async (storage) => {
    await enqueue(storage, 1)
    const job = required(await claim(storage))
    assert.equal(job.failures, 0)
    await storage.transaction(({ jobs }) => jobs.release(job, { delayMs: LEASE_MS, failed: true }))
    assert.equal(await claim(storage), undefined)
    const dueInMs = await dueIn(storage)
    assert.ok(dueInMs !== undefined && dueInMs > 0 && dueInMs <= LEASE_MS, String(dueInMs))
    await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))

    await enqueue(storage, 2)
    const other = required(await claim(storage))
    await storage.transaction(({ jobs }) => jobs.release(other, { delayMs: 40, failed: true }))
    await wait(60)
    const reclaimed = required(await claim(storage))
    assert.equal(reclaimed.subject, 2)
    assert.equal(reclaimed.failures, 1)
    await storage.transaction(({ jobs }) => jobs.release(reclaimed, { delayMs: 0, failed: false }))
    assert.equal((await claim(storage))?.failures, 1)
  })

  test('counts the claims of a job without progress or an outcome', async (storage) => {
    await enqueue(storage, 1)
    const next = async (leaseMs = LEASE_MS): Promise<ClaimedJob> => required(await claim(storage, leaseMs))
    // The state after a crash: no worker has released the job.
    const crash = async (): Promise<void> => storage.transaction(({ jobs }) => jobs.releaseAll())
    assert.equal((await next()).claims, 1)
    await crash()
    const second = await next()
    assert.equal(second.claims, 2)
    await storage.transaction(({ jobs }) => jobs.extend(second, LEASE_MS))
    await storage.transaction(({ jobs }) => jobs.release(second, { delayMs: 0, failed: false }))
    const reclaimed = await next()
    assert.equal(reclaimed.claims, 2, 'a claim that was given back does not count')
    await storage.transaction(({ jobs }) => jobs.extend(reclaimed, LEASE_MS, { isProgress: true }))
    await crash()
    const progressed = await next()
    assert.equal(progressed.claims, 1, 'progress counts anew')
    await crash()
    const failing = await next()
    assert.equal(failing.claims, 2)
    await storage.transaction(({ jobs }) => jobs.release(failing, { delayMs: 0, failed: true }))
    assert.equal((await next()).claims, 1, 'a failure is an outcome')
  })

  test('reports a job as held while a worker has a lease on it', async (storage) => {
    const isHeld = async (subject: number): Promise<boolean> =>
      storage.read(({ jobs }) => jobs.isHeld({ kind: 'test', subject }))
    assert.equal(await isHeld(1), false, 'there is none')
    await enqueue(storage, 1)
    await enqueue(storage, 2)
    assert.equal(await isHeld(1), false, 'nobody has claimed it')
    const job = required(await claim(storage))
    assert.equal(await isHeld(1), true)
    assert.equal(await isHeld(2), false, 'another one')
    assert.equal(await storage.read(({ jobs }) => jobs.isHeld({ kind: 'other', subject: 1 })), false, 'another kind')
    await storage.transaction(({ jobs }) => jobs.extend(job, 30))
    await wait(60)
    assert.equal(await isHeld(1), false, 'its lease has expired')
    await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))
    const other = required(await claim(storage))
    assert.equal(await isHeld(2), true)
    await storage.transaction(({ jobs }) => jobs.release(other, { delayMs: LEASE_MS, failed: false }))
    assert.equal(await isHeld(2), false, 'it was given back')
  })

  test('keeps a job that is enqueued with a lock until the end of the transaction', async (storage) => {
    await enqueue(storage, 1)
    const job = required(await claim(storage))
    const order: string[] = []
    let completing: Promise<void> | undefined
    await storage.transaction(
      async ({ jobs }) => {
        await jobs.enqueue({ kind: 'test', subject: 1 }, { isLocked: true })
        completing = storage.transaction(
          async (other) => {
            assert.equal(await other.jobs.complete(job), true)
            order.push('completed')
          },
          { isolation: 'read committed' },
        )
        await wait(100)
        order.push('enqueued')
      },
      { isolation: 'read committed' },
    )
    await completing
    assert.deepEqual(order, ['enqueued', 'completed'])
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject: 1 }, { isLocked: true }))
    assert.equal((await claim(storage))?.subject, 1, 'there is a new job')
  })

  test('cancels a job even while a worker holds it', async (storage) => {
    await enqueue(storage, 1)
    const job = required(await claim(storage))
    await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))
    assert.equal(await storage.transaction(({ jobs }) => jobs.complete(job)), false)
  })

  test('cancels jobs by kind and subject, however many', async (storage) => {
    const subjects = Array.from({ length: 250 }, (_, subject) => subject)
    await storage.transaction(({ jobs }) =>
      jobs.enqueueAll(['test', 'other'].flatMap((kind) => subjects.map((subject) => ({ kind, subject })))),
    )
    const cancelled = [
      ...subjects.slice(1).map((subject) => ({ kind: 'test', subject })),
      { kind: 'other', subject: 0 },
      { kind: 'absent', subject: 0 },
    ]
    await storage.transaction(({ jobs }) => jobs.cancelAll(cancelled))
    await storage.transaction(({ jobs }) => jobs.cancelAll([]))
    const left = async (kind: string) =>
      await storage.read(({ jobs }) => jobs.subjects(kind, { after: -1, limit: 1_000 }))
    assert.deepEqual(await left('test'), [0])
    assert.deepEqual(await left('other'), subjects.slice(1))
  })

  test('cancels all jobs of a kind in a lane', async (storage) => {
    await storage.transaction(({ jobs }) =>
      jobs.enqueueAll([
        ...Array.from({ length: 250 }, (_, subject) => ({ kind: 'test', subject, lane: 1 })),
        { kind: 'test', subject: 300, lane: 2 },
        { kind: 'other', subject: 1, lane: 1 },
      ]),
    )
    const job = required(await claim(storage))
    await storage.transaction(({ jobs }) => jobs.cancelLane('test', 1))
    assert.equal(await storage.transaction(({ jobs }) => jobs.complete(job)), false)
    const waiting = await storage.read(({ jobs }) => jobs.waiting(['test', 'other']))
    assert.deepEqual(waiting.map(({ lane }) => lane).sort(), [1, 2])
    assert.equal((await claim(storage))?.subject, 300)
    assert.equal(await claim(storage), undefined)
  })

  test('accepts fractions of a millisecond and stores whole milliseconds', async (storage) => {
    await storage.transaction(async ({ jobs }) => {
      await jobs.enqueue({ kind: 'test', subject: 1 }, { delayMs: LEASE_MS + 0.4 })
      await jobs.enqueue({ kind: 'test', subject: 2 })
    })
    const whole = async (): Promise<void> => {
      const dueInMs = await dueIn(storage)
      assert.ok(Number.isInteger(dueInMs) && (dueInMs ?? 0) > LEASE_MS / 2, String(dueInMs))
    }
    const job = required(await claim(storage, LEASE_MS + 0.6))
    await whole()
    assert.equal(await storage.transaction(({ jobs }) => jobs.extend(job, LEASE_MS + 0.3)), true)
    await whole()
    await storage.transaction(({ jobs }) => jobs.release(job, { delayMs: LEASE_MS + 0.7, failed: true }))
    await whole()
  })

  test('never confuses a new job with an old one of the same subject', async (storage) => {
    await enqueue(storage, 1)
    const old = required(await claim(storage))
    await storage.transaction(({ jobs }) => jobs.cancelAll([{ kind: 'test', subject: 1 }]))
    await enqueue(storage, 1)
    await claim(storage)
    assert.equal(await storage.transaction(({ jobs }) => jobs.complete(old)), false)
  })

  test('releases all leases for a single engine', async (storage) => {
    await enqueue(storage, 1)
    await claim(storage)
    await storage.transaction(({ jobs }) => jobs.releaseAll())
    assert.equal((await claim(storage))?.subject, 1)
  })

  test('returns the time until the next job is due', async (storage) => {
    assert.equal(await dueIn(storage), undefined)
    await enqueue(storage, 1)
    assert.equal(await dueIn(storage), 0)
    await claim(storage)
    assert.ok(((await dueIn(storage)) ?? 0) > LEASE_MS / 2)
  })

  test('lets a worker claim a given number of jobs of each lane, and lists lanes with waiting jobs', async (storage) => {
    const job = (subject: number, lane: number) => ({ kind: 'test', subject, lane, companyId: lane + 100 })
    await storage.transaction(({ jobs }) =>
      jobs.enqueueAll([1, 2, 3, 4, 5, 6, 7].map((subject) => job(subject, subject < 5 ? 1 : subject - 3))),
    )
    await storage.transaction(({ jobs }) => jobs.enqueueAll([job(8, 9)], { delayMs: LEASE_MS }))
    const waiting = await storage.read(({ jobs }) => jobs.waiting(KINDS))
    assert.deepEqual(
      waiting.map(({ lane, companyId, dueInMs }) => [lane, companyId, dueInMs === 0]),
      [
        [1, 101, true],
        [2, 102, true],
        [3, 103, true],
        [4, 104, true],
        [9, 109, false],
      ],
    )
    assert.deepEqual(await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs: 1, lanes: [] })), [])
    const lanes = [
      { lane: 1, most: 2 },
      { lane: 3, most: 5 },
      { lane: 9, most: 1 },
    ]
    const claimed = await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs: LEASE_MS, lanes }))
    assert.deepEqual(
      claimed.map(({ subject, lane, companyId }) => [subject, lane, companyId]),
      [
        [1, 1, 101],
        [2, 1, 101],
        [6, 3, 103],
      ],
    )
    const order = async () => (await storage.read(({ jobs }) => jobs.waiting(KINDS))).map(({ lane }) => lane)
    await wait(5)
    await storage.transaction(({ jobs }) => jobs.enqueueAll([job(20, 0), job(21, 1)]))
    assert.deepEqual((await order()).slice(0, 4), [1, 2, 4, 0], 'what has been due longest comes first')
    assert.deepEqual((await order()).slice(4).sort(), [3, 9])
  })

  test('releases the leases of given kinds only', async (storage) => {
    await enqueue(storage, 1)
    await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'other', subject: 2 }))
    await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['test', 'other'], leaseMs: LEASE_MS }))
    await storage.transaction(({ jobs }) => jobs.claim({ kinds: ['test', 'other'], leaseMs: LEASE_MS }))
    await storage.transaction(({ jobs }) => jobs.releaseAll(['other']))
    const kinds = ['test', 'other']
    assert.deepEqual(
      (await storage.transaction(({ jobs }) => jobs.claim({ kinds, leaseMs: LEASE_MS }))).map(({ kind }) => kind),
      ['other'],
    )
    assert.equal(await claim(storage), undefined)
  })

  test('hides a job until its transaction is committed', async (storage) => {
    const failing = storage.transaction(async ({ jobs }) => {
      await jobs.enqueue({ kind: 'test', subject: 1 })
      throw new Error('no')
    })
    await assert.rejects(failing)
    assert.equal(await claim(storage), undefined)
  })
}

async function enqueue(storage: Storage, subject: number): Promise<void> {
  await storage.transaction(({ jobs }) => jobs.enqueue({ kind: 'test', subject }))
}

async function claim(storage: Storage, leaseMs = LEASE_MS): Promise<ClaimedJob | undefined> {
  return (await storage.transaction(({ jobs }) => jobs.claim({ kinds: KINDS, leaseMs })))[0]
}

async function dueIn(storage: Storage): Promise<number | undefined> {
  return (await storage.read(({ jobs }) => jobs.waiting(KINDS)))[0]?.dueInMs
}

function required<T>(value: T | undefined): T {
  assert.ok(value !== undefined)
  return value
}

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
