import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import type { Engine, VerifyProgress } from '../../../src/index.js'
import { bundledModel } from '../../bundled-model.js'
import { runningTime } from '../../running-time.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { COLLECTION, codes, fill, LONG, open, told, vectors, withEngine } from './doctor-folder.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

describe('a working engine', () => {
  // K
  it('is reported as healthy while documents are uploaded, deleted and retried', async () => {
    const engine = await open(dataDir)
    const session = engine.as(engine.owner)
    const settings = { chunkSizeTokens: 16, embeddingModel: 'memory' }
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
    let isDone = false
    const busy = async (lane: number): Promise<void> => {
      for (let round = 0; !isDone; round += 1) {
        const { id: short } = await session.contexts.create({ ...NEW_CONTEXT, settings })
        const inShort = await session.documents.upload(short, { fileName: 'a.txt', content: Buffer.from(LONG) })
        const kept = await uploadText(session, id, `kept-${lane}-${round}.txt`, `${LONG} ${lane} ${round}`)
        const deletedUuid = await uploadText(session, id, `gone-${lane}-${round}.txt`, `${lane} ${round} ${LONG}`)
        const blank = await session.documents.upload(id, {
          fileName: `${lane}-${round}.txt`,
          content: Buffer.from(' '),
        })
        await session.documents.whenProcessed(blank).catch(() => undefined)
        await session.documents.retry(blank)
        await session.documents.delete(deletedUuid)
        await session.documents.whenProcessed(inShort)
        await session.contexts.delete(short)
        if (round % 2 === 1) await session.documents.delete(kept)
      }
    }
    const work = [busy(0), busy(1), busy(2)]
    // The loop waits for some documents to verify.
    for (let verification = 0, documents = 0; verification < 8 || documents < 12; verification += 1) {
      const report = await engine.administration.verify({ repair: verification % 2 === 1 })
      expect(report.problems).toEqual([])
      documents = Math.max(documents, report.checked.documents)
    }
    isDone = true
    await Promise.all(work)
    await engine.whenCleared()
    expect(await engine.administration.verify()).toMatchObject({ isHealthy: true, problems: [] })
    await engine.close()
  })

  it('reports the progress of a repair, and hides repaired documents until they are complete', async () => {
    await fill(dataDir)
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 4))
    await withEngine(dataDir, {}, async (engine) => {
      const { documents } = engine.as(engine.owner)
      const states: VerifyProgress[] = []
      const completed: number[] = []
      engine.on('document.completed', ({ id }) => completed.push(id))
      const report = await engine.administration.verify({ repair: true, onProgress: (state) => states.push(state) })
      expect(report.problems).toMatchObject([{ code: 'vectors-missing', isRepaired: true }])
      expect(completed).toEqual([1])
      expect(states[0]).toEqual({ stage: 'checking', documents: 2, total: null })
      expect(states.at(-1)).toEqual({ stage: 'repairing', documents: 1, total: 1 })
      const [first] = await documents.list(1)
      expect(await documents.get({ contextId: 1, id: 1 })).toMatchObject({ chunks: first?.chunks, error: null })
    })
  })

  it('runs one repair for all callers that request one at the same time', async () => {
    await fill(dataDir)
    const data = join(dataDir, 'vectors', `${COLLECTION}.lance`, 'data')
    for (const name of await readdir(data)) await writeFile(join(data, name), '')
    await withEngine(dataDir, {}, async (engine) => {
      const completed: number[] = []
      engine.on('document.completed', ({ id }) => completed.push(id))
      const aborted = AbortSignal.timeout(1)
      const [first, given, second] = await Promise.allSettled([
        engine.administration.verify({ repair: true }),
        engine.administration.verify({ repair: true, signal: aborted }),
        engine.administration.verify({ repair: true }),
      ])
      expect(first).toMatchObject({ value: { isHealthy: true, problems: { length: 3 } } })
      expect(given).toMatchObject({ reason: aborted.reason as unknown })
      expect(second).toMatchObject({ value: { isHealthy: true, problems: [] } })
      expect(completed.sort()).toEqual([1, 2])
    })
  })

  it('stops a verification when its caller aborts it, or when the engine closes', async () => {
    await fill(dataDir)
    const engine = await open(dataDir)
    const reason = new Error('no longer wanted')
    await expect(engine.administration.verify({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const abort = new AbortController()
    const onProgress = () => abort.abort(reason)
    await expect(engine.administration.verify({ signal: abort.signal, onProgress })).rejects.toBe(reason)
    const verifying = engine.administration.verify({ repair: true })
    const closing = engine.close()
    await expect(verifying).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await closing
    await expect(engine.administration.verify()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })

  it('refuses a verification that it cannot run', async () => {
    await fill(dataDir)
    const refused = { code: 'ERR_UNSUPPORTED', message: expect.stringContaining('role "ingest"') as string }
    for (const options of [{ isWorking: false }, { roles: ['relay'] as const }]) {
      await withEngine(dataDir, options, async ({ administration }) => {
        await expect(administration.verify({ repair: true })).rejects.toMatchObject(refused)
        await expect(administration.verify({ repair: 'yes' as unknown as boolean })).rejects.toMatchObject({
          field: 'repair',
        })
      })
    }
    const beside = await openLocalDatabase({ dataDir })
    await expect(beside.administration.verify()).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED' })
    await beside.close()
  })
})

describe('an engine with a model from files', () => {
  it('reports missing or changed model files, and repairs vectors after they are restored', async () => {
    const modelDir = join(folder.path, 'all-MiniLM-L6-v2')
    await cp(bundledModel, modelDir, { recursive: true })
    const engineWith = async (work: (engine: Engine) => Promise<void>): Promise<void> => {
      const engine = await openLocalEngine({ dataDir, modelDirs: [modelDir] })
      try {
        await work(engine)
      } finally {
        await engine.close()
      }
    }
    await engineWith(async (engine) => {
      const session = engine.as(engine.owner)
      const { id } = await session.contexts.create(NEW_CONTEXT)
      await uploadText(session, id, 'leave.txt', 'Parental leave takes eighteen weeks.')
      expect(await engine.administration.verify()).toMatchObject({
        isHealthy: true,
        checked: { models: 1, vectors: 1 },
      })
    })
    await vectors(dataDir, async (index) => {
      for (const name of await index.listCollections()) await index.deleteDocument(name, 1, 0)
    })
    const weights = join(modelDir, 'onnx/model_quantized.onnx')
    const original = await readFile(weights)
    const changed = Buffer.from(original)
    changed[1_000_000] = (changed[1_000_000] ?? 0) ^ 1
    await writeFile(weights, changed)
    await engineWith(async (engine) => {
      const report = await engine.administration.verify({ repair: true })
      expect(told(report)).toMatchObject([
        { code: 'model-unusable', model: 'all-MiniLM-L6-v2' },
        { code: 'vectors-missing' },
      ])
      expect(report.problems[0]?.message).toMatch(
        /^Embedding model all-MiniLM-L6-v2 cannot be used: .* \(ERR_MODEL_CHANGED\)\.$/,
      )
      expect(report.problems[1]).toMatchObject({
        isRepairable: false,
        repair: 'Its embedding model cannot be used: repair the model first.',
      })
      // The repair does not make it worse: it does not enqueue a document that cannot be processed.
      expect(await engine.as(engine.owner).documents.get({ contextId: 1, id: 1 })).toMatchObject({
        error: null,
        chunks: 1,
      })
    })
    await writeFile(weights, original)
    await engineWith(async (engine) => {
      expect(await engine.administration.verify({ repair: true })).toMatchObject({ isHealthy: true })
      const [found] = await engine.as(engine.owner).search(1, 'How long is parental leave?')
      expect(found?.content).toBe('Parental leave takes eighteen weeks.')
    })
  })
})

describe('the verification at the start', () => {
  /** Waits for the summary, and returns the reported events. */
  async function toldAtStart(telemetry: MemoryTelemetry): Promise<MemoryTelemetry['events']> {
    await expect
      .poll(() => telemetry.events.some(({ name }) => name === 'doctor.checked'), { timeout: 20_000 })
      .toBe(true)
    return telemetry.events.filter(({ name }) => name.startsWith('doctor.'))
  }

  it('reports problems to telemetry without names and texts, and changes nothing', async () => {
    const { uuids } = await fill(dataDir)
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 0))
    const telemetry = new MemoryTelemetry()
    await withEngine(dataDir, { telemetry }, async (engine) => {
      const events = await toldAtStart(telemetry)
      expect(events).toMatchObject([
        { name: 'doctor.found', level: 'warn' },
        { name: 'doctor.checked', level: 'warn', fields: { problems: 1, contexts: 2, documents: 3 } },
      ])
      const fields = { code: 'vectors-missing', contextId: 1, documentId: 1, documentUuid: uuids[0] }
      expect(events[0]?.fields).toEqual(fields)
      expect(codes(await engine.administration.verify())).toEqual(['vectors-missing'])
    })
  })

  it('keeps its findings for the host, with or without telemetry', async () => {
    await fill(dataDir)
    const lookAtStart = async () =>
      await withEngine(dataDir, {}, async ({ administration }) => {
        expect(administration.startCheck()).toBeUndefined()
        await expect.poll(() => administration.startCheck(), { timeout: 20_000 }).toBeDefined()
        return administration.startCheck()
      })
    expect(await lookAtStart()).toMatchObject({ isHealthy: true, problems: [], checked: { contexts: 2, documents: 3 } })
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 0))
    await withEngine(dataDir, {}, async (engine) => {
      const { operator } = engine.as(engine.owner)
      await expect.poll(async () => (await operator.state()).startCheck, { timeout: 20_000 }).not.toBeNull()
      const [remote] = (await operator.state()).startCheck?.problems ?? []
      const [told] = engine.administration.startCheck()?.problems ?? []
      expect(told?.message).toContain('.txt')
      expect(remote).toMatchObject({ code: 'vectors-missing', subject: told?.subject })
      expect(remote?.message).not.toContain('.txt')
    })
    expect(await lookAtStart()).toMatchObject({
      isHealthy: false,
      problems: [{ code: 'vectors-missing', subject: { documentId: 1 }, isRepairable: true, isRepaired: false }],
    })
  })

  it('reports a limited number of problems', async () => {
    await withEngine(dataDir, {}, async (engine) => {
      const session = engine.as(engine.owner)
      const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'memory' } })
      for (let at = 0; at < 25; at += 1) await uploadText(session, id, `${at}.txt`, `Text number ${at}`)
    })
    await vectors(dataDir, async (index) => await index.drop(COLLECTION))
    const telemetry = new MemoryTelemetry()
    await withEngine(dataDir, { telemetry }, async () => {
      const events = await toldAtStart(telemetry)
      expect(events).toHaveLength(21)
      expect(events.at(-1)?.fields).toMatchObject({ problems: 25 })
    })
  })

  it('reports a healthy folder, and does not delay closing', async () => {
    await fill(dataDir)
    const telemetry = new MemoryTelemetry()
    await withEngine(dataDir, { telemetry }, async () => {
      expect(await toldAtStart(telemetry)).toMatchObject([
        { name: 'doctor.checked', level: 'info', fields: { problems: 0 } },
      ])
    })
    const early = new MemoryTelemetry()
    const engine = await open(dataDir, { telemetry: early })
    await engine.whenCleared()
    const ranMs = runningTime()
    await engine.close()
    expect(ranMs()).toBeLessThan(900)
    expect(early.events.filter(({ name }) => name.startsWith('doctor.'))).toEqual([])
  })
})

describe('an engine in memory', () => {
  it('is reported as healthy, and can be repaired', async () => {
    const { engine, session, vectorIndex, fileStore, storage } = await memoryEngine()
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 16 } })
    const uuid = await uploadText(session, id, 'shelves.txt', LONG)
    const other = await uploadText(session, id, 'other.txt', 'Another text.')
    await session.documents.delete(await uploadText(session, id, 'gone.txt', 'This one goes.'))
    await engine.whenCleared()
    expect(await engine.administration.verify()).toMatchObject({
      isHealthy: true,
      checked: { documents: 2, models: 1 },
    })

    await vectorIndex.deleteDocument(COLLECTION, 1, 2)
    await fileStore.delete(other)
    await storage.transaction(async ({ documents, jobs }) => {
      await documents.update(1, { sizeBytes: 3 })
      await jobs.enqueue({ kind: 'purge-context', subject: 50 }, { delayMs: 60_000 })
    })
    expect(told(await engine.administration.verify())).toMatchObject([
      { code: 'size-wrong', documentUuid: uuid },
      { code: 'vectors-missing', documentUuid: uuid },
      { code: 'file-missing', documentUuid: other },
      { code: 'job-without-subject', contextId: 50 },
    ])
    const { problems, isHealthy } = await engine.administration.verify({ repair: true })
    expect(problems.map(({ isRepaired }) => isRepaired)).toEqual([true, true, false, true])
    expect(isHealthy).toBe(false)
    expect(codes(await engine.administration.verify())).toEqual(['file-missing'])
    const [found] = await session.search(id, 'Shelf 33 holds jar number 231')
    expect(found?.content).toContain('Shelf 33 holds jar number 231')
    await engine.close()
  })

  it('can process many documents a second time', async () => {
    const { engine, session, vectorIndex } = await memoryEngine({ ingestionConcurrency: 8 })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const texts = Array.from({ length: 250 }, (_, at) => `Text number ${at}`)
    await Promise.all(texts.map(async (text, at) => await uploadText(session, id, `${at}.txt`, text)))
    await vectorIndex.drop(COLLECTION)
    const { problems, isHealthy } = await engine.administration.verify({ repair: true })
    expect([problems.length, isHealthy]).toEqual([texts.length, true])
    await engine.close()
  })
})
