import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../../adapters/knex/index.js'
import { DocumentFailedError } from '../../src/index.js'
import { StorageError } from '../../src/ports/index.js'
import { IS_FULL_FORM } from '../full-form.js'
import { pick, seededRandom } from '../seeded-random.js'
import {
  closeSharedParts,
  type FaultyEngine,
  faultyEngine,
  STEPS,
  type Step,
  textOfSentences,
} from './faulty-engine.js'

const TEXT = textOfSentences(60)

let faulty: FaultyEngine

beforeEach(async () => {
  faulty = await faultyEngine()
})

/** In the end there are no orphans, and no data is missing. */
afterEach(async () => {
  expect(await faulty.end()).toEqual([])
})

afterAll(closeSharedParts)

/** The outcome of the processing of a document, with retries that are due at once. */
async function ending(uuid: string): Promise<string> {
  const hurry = setInterval(() => void faulty.hurry().catch(() => undefined), 100)
  const ended = await faulty.session.documents.whenProcessed(uuid).then(
    () => 'completed',
    (error: unknown) => (error instanceof DocumentFailedError ? error.message : String(error)),
  )
  clearInterval(hurry)
  return ended
}

async function expectSearchable(uuid: string): Promise<void> {
  const { session, contextId } = faulty
  for (const { id, content } of await session.documents.chunks(uuid)) {
    expect((await session.search(contextId, content)).map((result) => result.id)).toContain(id)
  }
}

/** Fails a step so many times. */
function failing(step: Step, times: number, error: () => Error): void {
  let left = times
  faulty.disturb((taken) => {
    if (taken !== step || left <= 0) return
    left -= 1
    throw error()
  })
}

const eio = (): Error =>
  new StorageError('a file of the file store failed: the disk cannot read or write it (EIO)', { isTransient: true })
const broken = (): Error => new Error('the table is broken')

describe('a transient error', () => {
  it.each([
    ['file:read', eio],
    ['text:piece', broken],
    ['words:delete', broken],
    ['words:add', broken],
    ['words:added', broken],
    ['texts:embed', broken],
    ['vectors:add', broken],
    ['vectors:added', broken],
    ['vectors:delete', broken],
  ] as const)('at %s, twice, does not stop the document, which has each window once', async (step, error) => {
    failing(step, 2, error)
    const uuid = await faulty.upload('a.txt', TEXT)
    expect(await ending(uuid)).toBe('completed')
    await expectSearchable(uuid)
    const failed = faulty.telemetry.events.filter(({ name }) => name === 'jobs.failed')
    expect(failed.length).toBeGreaterThanOrEqual(1)
  })
})

describe('a lasting error', () => {
  it.each([
    ['file:read', eio, 'a file of the file store failed: the disk cannot read or write it (EIO) (ERR_STORAGE)'],
    ['texts:embed', broken, 'The document could not be processed because of an internal error (ERR_INTERNAL)'],
    ['words:added', broken, 'The document could not be processed because of an internal error (ERR_INTERNAL)'],
    ['vectors:add', broken, 'The document could not be processed because of an internal error (ERR_INTERNAL)'],
    ['vectors:added', broken, 'The document could not be processed because of an internal error (ERR_INTERNAL)'],
  ] as const)('at %s fails the document with a sentence, and a retry completes it', async (step, error, sentence) => {
    failing(step, Infinity, error)
    const uuid = await faulty.upload('a.txt', TEXT)
    expect(await ending(uuid)).toBe(`a.txt: ${sentence}`)
    expect(await faulty.session.search(faulty.contextId, TEXT.slice(0, 100))).toEqual([])
    faulty.disturb(() => undefined)
    await faulty.session.documents.retry(uuid)
    expect(await ending(uuid)).toBe('completed')
    await expectSearchable(uuid)
  })

  it('of the model, with vectors that are not numbers, fails the document at once, and no vector is stored', async () => {
    faulty.disturb((step) => (step === 'texts:embedded' ? Number.NaN : undefined))
    const uuid = await faulty.upload('a.txt', TEXT)
    const sentence = 'The embedding model gave vectors that cannot be used: check the model (ERR_VECTOR_INVALID)'
    expect(await ending(uuid)).toBe(`a.txt: ${sentence}`)
    expect(faulty.telemetry.events.filter(({ name }) => name === 'jobs.failed')).toHaveLength(1)
  })

  it('at a deletion leaves the document hidden from everyone, and the purge succeeds after the error ends', async () => {
    const { session, contextId } = faulty
    const [deletedUuid, kept] = [
      await faulty.upload('gone.txt', TEXT),
      await faulty.upload('kept.txt', textOfSentences(20, 'Hall')),
    ]
    for (const uuid of [deletedUuid, kept]) expect(await ending(uuid)).toBe('completed')
    failing('vectors:delete', Infinity, broken)
    await session.documents.delete(deletedUuid)
    expect((await session.documents.list(contextId)).map(({ fileName }) => fileName)).toEqual([kept])
    expect(await session.search(contextId, TEXT.slice(0, 100))).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ docId: 1 })]),
    )
    const hurry = setInterval(() => void faulty.hurry().catch(() => undefined), 100)
    await vi.waitFor(
      () => expect(faulty.telemetry.events.filter(({ name }) => name === 'jobs.failed').length).toBeGreaterThan(6),
      { timeout: 30_000 },
    )
    faulty.disturb(() => undefined)
    clearInterval(hurry)
    await faulty.settled()
  })

  it('at a search fails that search, but not the next one', async () => {
    const { session, contextId } = faulty
    const uuid = await faulty.upload('a.txt', TEXT)
    expect(await ending(uuid)).toBe('completed')
    failing('vectors:search', 1, broken)
    await expect(session.search(contextId, TEXT.slice(0, 100))).rejects.toThrow()
    await expectSearchable(uuid)
  })
})

describe('random errors', () => {
  it.each(IS_FULL_FORM ? [1, 2, 3] : [1])(
    'of every port, now and then (%i), never stop the work for good',
    async (seed) => {
      const { session, contextId } = faulty
      const random = seededRandom(seed)
      faulty.disturb((step) => {
        if (STEPS.includes(step) && random() < 0.08) throw pick(random, [eio, broken])()
      })
      const uuids = new Set<string>()
      for (let number = 0; number < 12; number += 1) {
        uuids.add(await faulty.upload(`${number % 9}.txt`, textOfSentences(10 + number * 8, `Hall ${number % 9}`)))
        const [first] = uuids
        if (random() < 0.3 && first !== undefined) {
          await session.documents.delete(first)
          uuids.delete(first)
        }
      }
      const ends = await Promise.all([...uuids].map((uuid) => ending(uuid)))
      faulty.disturb(() => undefined)
      for (const [at, uuid] of [...uuids].entries()) {
        if (ends[at] === 'completed') continue
        expect(ends[at]).toMatch(/\(ERR_(INTERNAL|STORAGE)\)$/)
        await session.documents.retry(uuid)
        expect(await ending(uuid)).toBe('completed')
      }
      expect((await session.documents.list(contextId)).map(({ fileName }) => fileName).sort()).toEqual(
        [...uuids].sort(),
      )
      await faulty.settled()
    },
  )
})

describe('a database that another process locks (SQLITE_BUSY)', () => {
  it.runIf(IS_FULL_FORM)(
    'for longer than the timeout refuses uploads with a message, and the documents in progress are completed',
    async () => {
      const other = openSqlite(faulty.places.database)
      let isLocked: () => void = () => undefined
      const locked = new Promise<void>((resolve) => {
        isLocked = resolve
      })
      let release: () => void = () => undefined
      faulty.disturb((step) => {
        if (step === 'vectors:added') return locked
        return undefined
      })
      const uuid = await faulty.upload('a.txt', TEXT)
      const lock = other.transaction(async (transaction) => {
        await transaction('alcove_schema').update({ version: 0 }).whereRaw('0 = 1')
        isLocked()
        await new Promise<void>((resolve) => {
          release = resolve
        })
      })
      await locked
      await expect(faulty.upload('b.txt', TEXT)).rejects.toMatchObject({
        code: 'ERR_STORAGE',
        isTransient: true,
        message: 'another process has locked the database for too long',
      })
      release()
      await lock
      await other.destroy()
      expect(await ending(uuid)).toBe('completed')
      expect(await ending(await faulty.upload('b.txt', TEXT))).toBe('completed')
      // One attempt met the lock. Attempts that could not be recorded do not count.
      expect(faulty.telemetry.events.filter(({ name }) => name === 'jobs.failed').length).toBeLessThan(3)
    },
    120_000,
  )
})
