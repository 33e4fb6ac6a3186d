import { afterEach, describe, expect, it } from 'vitest'
import { MemoryClock, MemoryPasswordHasher, MemoryStorage } from '../../../adapters/memory/index.js'
import type { Engine, EngineOptions } from '../../../src/index.js'
import type { Repositories, TransactionOptions } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine } from '../engine/memory-engine.js'
import { DATABASES } from '../outbox/database.js'

const engines: Engine[] = []

async function start(overrides: Partial<EngineOptions> = {}): Promise<MemoryEngine> {
  const memory = await memoryEngine(overrides)
  engines.push(memory.engine)
  return memory
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()))
})

/** The code of the refusal of a call, or `done`. */
async function outcome(call: Promise<unknown>): Promise<string> {
  return await call.then(
    (result) => (result === undefined ? 'wrong' : 'done'),
    (error: unknown) => (error as { code?: string; error?: string }).error ?? (error as { code: string }).code,
  )
}

const ask = async ({ engine }: MemoryEngine, clientId: string, clientSecret: string, remoteAddress?: string) =>
  await outcome(engine.authentication.issueToken({ clientId, clientSecret, targetApp: 'assistant' }, { remoteAddress }))

const logIn = async ({ engine }: MemoryEngine, email: string, password: string, remoteAddress?: string) =>
  await outcome(engine.administration.verifyPassword(email, password, { remoteAddress }))

async function repeat(times: number, call: (at: number) => Promise<string>): Promise<string[]> {
  const outcomes: string[] = []
  for (let at = 0; at < times; at += 1) outcomes.push(await call(at))
  return outcomes
}

const times = (count: number, what: string): string[] => Array<string>(count).fill(what)

describe('wrong secrets', () => {
  // A71
  it('are counted alike for known and unknown client ids', async () => {
    const memory = await start()
    const { clientId, clientSecret } = await memory.engine.initialize()
    const known = await repeat(12, async () => await ask(memory, clientId, 'wrong'))
    const unknown = await repeat(12, async () => await ask(memory, 'ak_unknown', 'wrong'))
    const long = await repeat(12, async () => await ask(memory, 'x'.repeat(5_000), 'wrong'))
    expect(known).toEqual([...times(10, 'invalid_client'), ...times(2, 'ERR_THROTTLED')])
    expect([unknown, long]).toEqual([known, known])
    expect(await ask(memory, clientId, clientSecret)).toBe('done')
  })

  // A72
  it('are also counted by network address, for any invented names, and the right secret passes', async () => {
    const memory = await start()
    const { clientId, clientSecret } = await memory.engine.initialize()
    const invented = await repeat(55, async (at) => await ask(memory, `ak_${at}`, 'wrong', `2001:db8::${at + 1}`))
    expect(invented).toEqual([...times(50, 'invalid_client'), ...times(5, 'ERR_THROTTLED')])
    expect(await ask(memory, clientId, 'wrong', '2001:db8::ffff')).toBe('ERR_THROTTLED')
    expect(await ask(memory, clientId, clientSecret, '2001:db8::ffff')).toBe('done')
    // Refused guesses from that address have not filled the counter of a name.
    expect(await repeat(10, async () => await ask(memory, clientId, 'wrong', '192.0.2.1'))).toEqual(
      times(10, 'invalid_client'),
    )
    memory.clock.advance(60_000)
    expect(await ask(memory, 'ak_0', 'wrong', '2001:db8::1')).toBe('invalid_client')
  })

  // A72
  it('are counted correctly under concurrency', async () => {
    const memory = await start()
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => await ask(memory, `ak_${at}`, 'wrong', '192.0.2.1')),
    )
    expect(outcomes.filter((one) => one === 'invalid_client')).toHaveLength(50)
  })

  // A75
  it('cost the storage nothing once they are refused', async () => {
    class CountingStorage extends MemoryStorage {
      writes = 0
      override async transaction<T>(
        work: (repositories: Repositories) => Promise<T>,
        options?: TransactionOptions,
      ): Promise<T> {
        if (options?.isWriteFirst === true) this.writes += 1
        return await super.transaction(work)
      }
    }
    const storage = new CountingStorage()
    const memory = await start({ storage, isWorking: true, roles: [] })
    // The audit trail records 30 refusals in a minute (A111).
    await repeat(31, async () => await ask(memory, 'ak_unknown', 'wrong', '192.0.2.1'))
    const before = storage.writes
    expect(before).toBeGreaterThanOrEqual(41)
    expect(await repeat(50, async () => await ask(memory, 'ak_unknown', 'wrong', '192.0.2.1'))).toEqual(
      times(50, 'ERR_THROTTLED'),
    )
    expect(storage.writes).toBe(before)
    memory.clock.advance(60_000)
    expect(await ask(memory, 'ak_unknown', 'wrong', '192.0.2.1')).toBe('invalid_client')
  })
})

describe('wrong passwords', () => {
  async function withUser(memory: MemoryEngine, email: string): Promise<void> {
    const { users } = memory.engine.administration
    const user = await users.add({ email, companyId: 1 })
    await users.completeSetup(user.id, 'correct horse battery')
  }

  // A74
  it('are counted by e-mail address, known or not; at the limit the right one is refused for a minute too', async () => {
    const memory = await start()
    await withUser(memory, 'Ann@example.com')
    const known = await repeat(12, async () => await logIn(memory, 'ann@EXAMPLE.com', 'wrong'))
    expect(known).toEqual([...times(10, 'wrong'), ...times(2, 'ERR_THROTTLED')])
    expect(await repeat(12, async () => await logIn(memory, 'nobody@example.com', 'wrong'))).toEqual(known)
    expect(await repeat(12, async () => await logIn(memory, 'no address', 'wrong'))).toEqual(known)
    expect(await logIn(memory, 'Ann@example.com', 'correct horse battery')).toBe('ERR_THROTTLED')
    memory.clock.advance(60_000)
    expect(await logIn(memory, 'Ann@example.com', 'correct horse battery')).toBe('done')
  })

  // A74
  it('are counted by network address', async () => {
    const memory = await start({ limits: { failuresPerAddressPerMinute: 5 } })
    await withUser(memory, 'ann@example.com')
    const guesses = await repeat(7, async (at) => await logIn(memory, `user${at}@example.com`, 'wrong', '192.0.2.1'))
    expect(guesses).toEqual([...times(5, 'wrong'), ...times(2, 'ERR_THROTTLED')])
    expect(await logIn(memory, 'ann@example.com', 'correct horse battery', '192.0.2.1')).toBe('ERR_THROTTLED')
    expect(await logIn(memory, 'ann@example.com', 'correct horse battery', '192.0.2.2')).toBe('done')
  })

  // A76
  it('are hashed two at a time during any flood, addresses take turns, and too many are refused', async () => {
    let running = 0
    let most = 0
    const done: string[] = []
    class SlowHasher extends MemoryPasswordHasher {
      override async verify(hash: string, password: string): Promise<boolean> {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
        running -= 1
        done.push(password)
        return await super.verify(hash, password)
      }
    }
    const memory = await start({ passwordHasher: new SlowHasher() })
    await withUser(memory, 'ann@example.com')
    const flood = Array.from(
      { length: 40 },
      async (_, at) => await logIn(memory, `user${at}@example.com`, 'flood', '192.0.2.1'),
    )
    const victim = logIn(memory, 'ann@example.com', 'correct horse battery', '192.0.2.2')
    expect(await victim).toBe('done')
    expect(done.filter((password) => password === 'flood').length).toBeLessThanOrEqual(6)
    const outcomes = await Promise.all(flood)
    expect(outcomes.filter((one) => one === 'wrong')).toHaveLength(16)
    expect(outcomes.filter((one) => one === 'ERR_THROTTLED')).toHaveLength(24)
    expect(most).toBe(2)
  })

  // A76
  it('sent at once give no more guesses', async () => {
    const memory = await start({ limits: { failuresPerNamePerMinute: 3 } })
    await withUser(memory, 'ann@example.com')
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => await logIn(memory, 'ann@example.com', `guess ${at}`)),
    )
    expect(outcomes.filter((one) => one === 'wrong')).toHaveLength(3)
  })
})

describe('counters', () => {
  // A77
  it('are removed after their windows end', async () => {
    const storage = new MemoryStorage()
    await storage.open()
    const long = { most: 1, windowMs: 60_000 }
    const now = new Date()
    await storage.transaction(async ({ rates }) => {
      for (let at = 0; at < 450; at += 1)
        await rates.consume(`old ${at}`, { ...long, now: new Date(now.getTime() - 90_000) })
      await rates.consume('new', { ...long, now })
    })
    await start({ storage, clock: new MemoryClock(now) })
    const left = async (): Promise<number> =>
      await storage.transaction(({ rates }) => rates.removeEnded({ now, limit: 1 }))
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000)
    })
    expect(await left()).toBe(0)
    expect((await storage.read(({ rates }) => rates.peek('new', { ...long, now }))).isAllowed).toBe(false)
  })

  // A70
  it.each(DATABASES)('are shared by all engines on $name', async ({ open }) => {
    const database = await open()
    try {
      const one = await start({ storage: database.storage() })
      const other = await start({ storage: database.storage() })
      const turn = (at: number): MemoryEngine => (at % 2 === 0 ? one : other)
      const secrets = await repeat(14, async (at) => await ask(turn(at), 'ak_unknown', 'wrong', '192.0.2.1'))
      expect(secrets).toEqual([...times(10, 'invalid_client'), ...times(4, 'ERR_THROTTLED')])
      const passwords = await repeat(14, async (at) => await logIn(turn(at), 'ann@example.com', 'wrong', '192.0.2.2'))
      expect(passwords).toEqual([...times(10, 'wrong'), ...times(4, 'ERR_THROTTLED')])
      await Promise.all(engines.splice(0).map((engine) => engine.close()))
    } finally {
      await database.dispose()
    }
  })
})
