import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdir, open as openFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { type Problem, StorageError, VectorsDamagedError, type VerifyReport } from '../../../src/index.js'
import type { VectorIndex } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import {
  COLLECTION,
  codes,
  type DoctorFolder,
  examine,
  fileOf,
  fill,
  find,
  findAll,
  LEAVE,
  LONG,
  repair,
  sql,
  told,
  vectors,
  withEngine,
} from './doctor-folder.js'

const DIMENSIONS = 64
const SHELF = 'Shelf 33 holds jar number 231'
const WITH_SHELF = expect.stringContaining(SHELF) as string

let original: DoctorFolder
let originals: Awaited<ReturnType<typeof temporaryFolder>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let long: string
let short: string

beforeAll(async () => {
  originals = await temporaryFolder()
  original = await fill(join(originals.path, 'data'))
})

afterAll(async () => {
  await originals.remove()
})

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  await cp(original.dataDir, dataDir, { recursive: true })
  ;[long, short] = original.uuids
})

afterEach(async () => {
  await folder.remove()
})

/** Expects a repair that fixes every problem; all documents are then found. */
async function expectMended(expected: readonly Problem['code'][]): Promise<void> {
  const before = await examine(dataDir)
  expect(codes(before)).toEqual(expected)
  expect(before.problems.map(({ isRepairable, isRepaired }) => [isRepairable, isRepaired])).toEqual(
    expected.map(() => [true, false]),
  )
  expect(before.isHealthy).toBe(false)
  const after = await repair(dataDir)
  expect(after.problems).toEqual(before.problems.map((problem) => ({ ...problem, isRepaired: true })))
  expect(after.isHealthy).toBe(true)
  await expectSound()
}

async function expectSound(): Promise<void> {
  const report = await examine(dataDir)
  expect(report.problems).toEqual([])
  expect(report.isHealthy).toBe(true)
  const found = await findAll(dataDir, { byMeaning: [SHELF, LEAVE], byWords: [SHELF] })
  expect(found).toEqual({ byMeaning: [WITH_SHELF, expect.stringContaining('eighteen weeks')], byWords: [WITH_SHELF] })
}

/** Expects unrepairable problems in the report before and after a repair, and all documents to be found. */
async function expectTold(expected: readonly Problem['code'][]): Promise<VerifyReport> {
  expect(codes(await examine(dataDir))).toEqual(expected)
  const report = await repair(dataDir)
  expect(codes(report)).toEqual(expected)
  for (const problem of report.problems) expect(problem).toMatchObject({ isRepaired: false, isRepairable: false })
  expect(report.isHealthy).toBe(false)
  expect(await find(dataDir, SHELF)).toContain(SHELF)
  return report
}

const VECTORS = { collection: { name: COLLECTION, dimensions: DIMENSIONS } }

function vectorRows(documentId: number, rows: number, component: number) {
  return {
    documentId,
    chunks: Uint32Array.from({ length: rows }, (_, at) => at),
    windows: new Uint16Array(rows),
    vectors: new Float32Array(rows * DIMENSIONS).fill(component),
  }
}

describe('a healthy folder', () => {
  it('is reported as healthy, with the number of checked items', async () => {
    const { checked, ...report } = await examine(dataDir)
    expect(report).toEqual({ isHealthy: true, problems: [], notices: [] })
    expect(checked).toMatchObject({ contexts: 2, documents: 3, files: 3, collections: 2, jobs: 0, models: 1 })
    expect(checked.bytes).toBe(LONG.length + 2 * LEAVE.length)
    expect(checked.chunks).toBeGreaterThan(20)
    expect(checked.vectors).toBe(checked.windows)
    expect(checked.windows).toBeGreaterThanOrEqual(checked.chunks)
    expect(checked).toMatchObject({ wordCollections: 2, indexedChunks: checked.chunks })
  })

  it('is not changed by a verification, nor by a repair without problems', async () => {
    const before = await contents(dataDir)
    await examine(dataDir)
    expect(await changedSince(before)).toEqual([])
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true, problems: [] })
  })

  it('is not changed by a verification that finds problems', async () => {
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 0))
    await writeFile(fileOf(dataDir, short), 'x')
    await sql(dataDir, async (database) => await database('alcove_jobs').insert(job('ingest-document', 1)))
    const untended = new LanceDbVectorIndex(join(dataDir, 'vectors'), { maintains: false })
    for (let id = 100; id < 150; id += 1) await untended.add(VECTORS.collection, vectorRows(id, 1, 0.125))
    await untended.close()
    const before = await contents(dataDir)
    await withEngine(dataDir, { isWorking: false }, async ({ administration }) => {
      expect((await administration.verify()).isHealthy).toBe(false)
      // A working engine starts maintenance of its tables in less time.
      await setTimeout(3_000)
    })
    expect(await changedSince(before)).toEqual([])
  })
})

describe('the doctor, for the file of a document,', () => {
  it('reports a missing file, and the document stays searchable', async () => {
    await rm(fileOf(dataDir, short))
    const [problem] = (await expectTold(['file-missing'])).problems
    expect(problem).toMatchObject({ subject: { contextId: 1, documentId: 2, documentUuid: short } })
    expect(problem?.message).toBe(`Document ${short} (leave.txt) has no readable file in the file store.`)
    expect(problem?.repair).toContain('upload the file a second time, or restore a backup')
    expect(await find(dataDir, LEAVE)).toContain('eighteen weeks')
  })

  it('reports a changed bit, a shorter file or a folder in its place, and the document stays searchable', async () => {
    const path = fileOf(dataDir, short)
    const bytes = await readFile(path)
    bytes[5] = (bytes[5] ?? 0) ^ 1
    await writeFile(path, bytes)
    await truncate(fileOf(dataDir, long), 100)
    await expectTold(['file-changed', 'file-changed'])
    await rm(path)
    await mkdir(path)
    await expectTold(['file-changed', 'file-missing'])
    expect(await find(dataDir, LEAVE)).toContain('eighteen weeks')
  })

  it('leaves a changed file without vectors unchanged, and reports the necessary steps', async () => {
    await truncate(fileOf(dataDir, short), 3)
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 2, 0))
    const { problems } = await expectTold(['file-changed', 'vectors-missing'])
    expect(problems[1]?.repair).toContain('upload the file a second time')
  })

  it('corrects a wrong size in the record', async () => {
    await sql(dataDir, async (database) => await database('alcove_documents').where('id', 1).update({ size_bytes: 5 }))
    await expectMended(['size-wrong'])
    await withEngine(dataDir, {}, async (engine) => {
      expect(await engine.as(engine.owner).documents.get(long)).toMatchObject({ size: LONG.length })
    })
  })
})

describe('the doctor, for the vectors of a document,', () => {
  it('processes the document a second time when all are missing', async () => {
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 0))
    expect(await find(dataDir, SHELF)).not.toContain(SHELF)
    await expectMended(['vectors-missing'])
  })

  it('processes the document a second time when some are missing', async () => {
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 5))
    await expectMended(['vectors-missing'])
  })

  it('processes all documents of the context a second time when the folder of the collection is missing', async () => {
    await rm(join(dataDir, 'vectors', `${COLLECTION}.lance`), { recursive: true })
    await expectMended(['vectors-missing', 'vectors-missing'])
  })

  it('processes the document a second time when they are stored twice', async () => {
    await vectors(dataDir, async (index) => await index.add(VECTORS.collection, vectorRows(1, 3, 0.125)))
    await expectMended(['vectors-surplus'])
  })

  it('processes the document a second time when the model did not compute them', async () => {
    await vectors(dataDir, async (index) => {
      await index.deleteDocument(COLLECTION, 2, 0)
      await index.add(VECTORS.collection, vectorRows(2, 1, 3))
    })
    await expectMended(['vectors-invalid'])
  })

  it('processes the document a second time when they belong to other chunks', async () => {
    await vectors(dataDir, async (index) => {
      await index.deleteDocument(COLLECTION, 2, 0)
      const rows = vectorRows(2, 1, 0.125)
      await index.add(VECTORS.collection, { ...rows, chunks: Uint32Array.of(9) })
    })
    await expectMended(['vectors-missing'])
  })

  it('rebuilds the collection when data files are missing', async () => {
    const lance = join(dataDir, 'vectors', `${COLLECTION}.lance`, 'data')
    for (const name of await readdir(lance)) await writeFile(join(lance, name), 'no longer a file of vectors')
    const report = await examine(dataDir)
    expect(new Set(codes(report))).toEqual(new Set(['vectors-missing', 'collection-unreadable']))
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
  })

  it.each(['_versions', '_indices'])('rebuilds the collection when the %s of the table are missing', async (part) => {
    // Enough rows for an index on documents.
    await vectors(dataDir, async (index) => {
      await index.deleteDocument(COLLECTION, 2, 0)
      await index.add(VECTORS.collection, vectorRows(2, 6_000, 0.125))
      await index.whenMaintained()
    })
    const lance = join(dataDir, 'vectors', `${COLLECTION}.lance`, part)
    for (const entry of await readdir(lance, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) await writeFile(join(entry.parentPath, entry.name), '')
    }
    expect(codes(await examine(dataDir))).toContain('collection-unreadable')
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
  })

  it.each(['search', 'nearestWindows'] as const)(
    'finds a collection damaged if only %s reads what is damaged',
    async (method) => {
      const vectorIndex = failing(method, new VectorsDamagedError('an index is damaged'), { isOnce: false })
      expect(codes(await examine(dataDir, { vectorIndex }))).toEqual(['collection-unreadable', 'collection-unreadable'])
    },
  )

  it.each<[string, Error, string]>([
    ['because the disk fails', new StorageError('the disk cannot read it', { isTransient: true }), 'the disk cannot'],
    [
      'because the process may not read them',
      new StorageError('permission denied', { isTransient: false }),
      'permission',
    ],
    ['for an unknown reason', new TypeError('x is not a function'), 'the vector index failed'],
  ])('leaves them unchanged when they are not readable %s', async (_why, error, told) => {
    for (const method of ['countByDocument', 'read', 'search'] as const) {
      const report = await repair(dataDir, { vectorIndex: failing(method, error, { isOnce: false }) })
      expect(report.problems).toMatchObject([
        { code: 'collection-unreadable', subject: { contextId: 1 }, isRepairable: false, isRepaired: false },
        { code: 'collection-unreadable', subject: { contextId: 2 }, isRepairable: false, isRepaired: false },
      ])
      expect(report.problems[0]?.message).toContain(told)
      await expectSound()
    }
  })

  it('does not report a read error that passes', async () => {
    const error = new StorageError('the disk cannot read it', { isTransient: true })
    const report = await repair(dataDir, { vectorIndex: failing('countByDocument', error, { isOnce: true }) })
    expect(report).toMatchObject({ isHealthy: true, problems: [] })
  })

  /** The vectors of the folder, with reads that fail. */
  function failing(
    method: 'countByDocument' | 'read' | 'search' | 'nearestWindows',
    error: Error,
    { isOnce }: { readonly isOnce: boolean },
  ): VectorIndex {
    const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
    const reading = vi.spyOn(index, method)
    if (isOnce) reading.mockRejectedValueOnce(error)
    else reading.mockRejectedValue(error)
    return index
  }
})

describe('a document whose chunks are', () => {
  it.each<[string, readonly string[]]>([
    ['missing', ['alcove_chunks', 'alcove_windows']],
    ['missing, but not their windows', ['alcove_chunks']],
    ['without their windows', ['alcove_windows']],
  ])('%s is processed a second time', async (_what, tables) => {
    await sql(dataDir, async (database) => {
      for (const table of tables) await database(table).where('document_id', 1).delete()
    })
    await expectMended(['chunks-wrong'])
  })

  it.each(['alcove_chunks', 'alcove_windows'])(
    'missing in the middle of %s is processed a second time',
    async (table) => {
      await sql(dataDir, async (database) => {
        await database(table)
          .where('document_id', 1)
          .where(table === 'alcove_chunks' ? 'ordinal' : 'chunk', 3)
          .delete()
      })
      await expectMended(['chunks-wrong'])
    },
  )

  it('different from its record is processed a second time', async () => {
    await sql(dataDir, async (database) => {
      await database('alcove_documents').where('id', 1).update({ chunk_count: 2 })
      await database('alcove_documents').where('id', 2).update({ receipt: null })
    })
    await expectMended(['chunks-wrong', 'chunks-wrong'])
  })

  it('present, but that is both completed and failed, is processed a second time', async () => {
    await sql(
      dataDir,
      async (database) => await database('alcove_documents').where('id', 1).update({ error: 'x (ERR_X)' }),
    )
    await expectMended(['state-invalid'])
  })

  it('wrong, and whose bytes cannot be processed, is reported as failed', async () => {
    const blank = ' \n\t\n '
    await writeFile(fileOf(dataDir, short), blank)
    const content_hash = createHash('sha256').update(blank).digest('hex')
    const changes = { content_hash, size_bytes: blank.length, chunk_count: 7 }
    await sql(dataDir, async (database) => await database('alcove_documents').where('id', 2).update(changes))
    const { problems, isHealthy } = await repair(dataDir)
    expect(isHealthy).toBe(false)
    expect(problems).toMatchObject([{ code: 'chunks-wrong', isRepaired: false, isRepairable: false }])
    expect(problems[0]?.repair).toMatch(/^The second processing of the document failed: .* \(ERR_NO_TEXT\)\.$/)
  })
})

describe('a repair of orphans', () => {
  it('removes files, vectors, collections and chunks', async () => {
    const file = randomUUID()
    await mkdir(dirname(fileOf(dataDir, file)), { recursive: true })
    await writeFile(fileOf(dataDir, file), 'orphan')
    await vectors(dataDir, async (index) => {
      await index.add(VECTORS.collection, vectorRows(99, 2, 0.125))
      // A vector of a document in another context.
      await index.add(VECTORS.collection, vectorRows(5, 1, 0.125))
      await index.add(
        { name: 'context-77-memory-1', dimensions: 3 },
        { ...vectorRows(1, 1, 0), vectors: new Float32Array(3) },
      )
    })
    const chunk = { document_id: 99, ordinal: 0, content: 'x', start: 0, tokens: 1, hash: 'x' }
    await sql(dataDir, async (database) => await database('alcove_chunks').insert(chunk))
    const report = await examine(dataDir)
    expect(told(report)).toEqual([
      { code: 'vectors-without-document', contextId: 1, documentId: 5, collection: COLLECTION },
      { code: 'vectors-without-document', contextId: 1, documentId: 99, collection: COLLECTION },
      { code: 'collection-without-context', contextId: 77, collection: 'context-77-memory-1' },
      { code: 'file-without-document', file },
      { code: 'chunks-without-document', documentId: 99 },
    ])
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
  })

  it('removes jobs', async () => {
    await sql(dataDir, async (database) => {
      await database('alcove_jobs').insert([
        job('ingest-document', 1),
        job('ingest-document', 90),
        job('purge-document', 91),
        job('purge-context', 92),
        job('index-words', 93),
      ])
    })
    const report = await examine(dataDir)
    expect(told(report)).toEqual([
      { code: 'job-surplus', contextId: 1, documentId: 1, documentUuid: long, job: 'ingest-document' },
      { code: 'job-without-subject', documentId: 90, job: 'ingest-document' },
      { code: 'job-without-subject', documentId: 91, job: 'purge-document' },
      { code: 'job-without-subject', contextId: 92, job: 'purge-context' },
      { code: 'job-without-subject', contextId: 93, job: 'index-words' },
    ])
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
  })

  it('removes uploads that never finished', async () => {
    const upload = { uuid: randomUUID(), context_id: 1, size_bytes: 9, expires_ms: 1 }
    const insert = async () => await sql(dataDir, async (database) => await database('alcove_uploads').insert(upload))
    await insert()
    expect(codes(await examine(dataDir))).toEqual(['upload-left-over'])
    await withEngine(dataDir, {}, async ({ administration }) => {
      expect(await administration.verify()).toMatchObject({ isHealthy: true })
      await insert()
      const repaired = [{ code: 'upload-left-over', isRepaired: true }]
      expect(await administration.verify({ repair: true })).toMatchObject({ isHealthy: true, problems: repaired })
    })
    await expectSound()
  })
})

describe('a repair of unfinished work', () => {
  it('enqueues documents that no job processes, and deletions that no job purges', async () => {
    await sql(dataDir, async (database) => {
      await database('alcove_documents').where('id', 1).update({ completed: null, receipt: null })
      await database('alcove_documents').where('context_id', 2).update({ deleted: '2026-01-01T00:00:00.000Z' })
    })
    expect(codes(await examine(dataDir))).toEqual(['job-missing', 'purge-missing'])
    await sql(dataDir, async (database) => {
      await database('alcove_contexts').where('id', 2).update({ deleted: '2026-01-01T00:00:00.000Z' })
    })
    expect(codes(await examine(dataDir))).toEqual(['job-missing', 'purge-missing'])
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
    await vectors(dataDir, async (index) => expect(await index.listCollections()).toEqual([COLLECTION]))
  })

  it('also enqueues documents while the engine works', async () => {
    const report = await withEngine(dataDir, {}, async (engine) => {
      await engine.whenCleared()
      await sql(dataDir, async (database) => {
        await database('alcove_documents').where('id', 1).update({ completed: null, receipt: null })
      })
      return await engine.administration.verify({ repair: true })
    })
    expect(report).toMatchObject({ isHealthy: true, problems: [{ code: 'job-missing', isRepaired: true }] })
    await expectSound()
  })
})

describe('a context', () => {
  it('with more bytes than its limit is reported', async () => {
    await sql(
      dataDir,
      async (database) => await database('alcove_contexts').where('id', 1).update({ max_size_bytes: 9 }),
    )
    const [problem] = (await expectTold(['quota-exceeded'])).problems
    expect(problem?.message).toBe(
      `Context 1 (Handbook) has documents of ${LONG.length + LEAVE.length} bytes; its limit is 9 bytes.`,
    )
  })

  it('with an unknown model is reported and left unchanged', async () => {
    const embeddingModels = [new MemoryEmbeddingModel({ id: 'another', fingerprint: 'another-1' })]
    const options = { embeddingModels }
    expect(codes(await examine(dataDir, options))).toEqual(['model-unknown', 'model-unknown'])
    const report = await repair(dataDir, {
      embeddingModels: [new MemoryEmbeddingModel({ id: 'another', fingerprint: 'another-1' })],
    })
    expect(told(report)).toEqual([
      { code: 'model-unknown', contextId: 1, model: 'memory' },
      { code: 'model-unknown', contextId: 2, model: 'memory' },
    ])
    await expectSound()
  })

  it('whose model has changed has its documents processed a second time by the new model', async () => {
    const changed = () => ({ embeddingModels: [new MemoryEmbeddingModel({ fingerprint: 'memory-2' })] })
    const expected = ['vectors-missing', 'vectors-missing', 'collection-of-other-model']
    expect(codes(await examine(dataDir, changed())).slice(0, 3)).toEqual(expected)
    expect(await repair(dataDir, changed())).toMatchObject({ isHealthy: true })
    expect(await find(dataDir, SHELF, changed())).toContain(SHELF)
    expect(await examine(dataDir, changed())).toMatchObject({ problems: [] })
    await vectors(dataDir, async (index) => {
      expect(await index.listCollections()).toEqual(['context-1-memory-2', 'context-2-memory-2'])
    })
  })
})

describe('a database', () => {
  it('with a lost page is reported', async () => {
    await loseIndexPage()
    const { problems, isHealthy } = await examine(dataDir)
    expect(isHealthy).toBe(false)
    expect(problems[0]).toMatchObject({ code: 'database-damaged', isRepairable: false })
    expect(problems[0]?.message).toMatch(/^The database is damaged: Table alcove_windows.*\.$/)
    expect(problems[0]?.repair).toContain('Restore a backup')
  })

  it('with a lost page is not written to', async () => {
    await loseIndexPage()
    await vectors(dataDir, async (index) => await index.deleteDocument(COLLECTION, 1, 0))
    // Without the damage, the engine would have work at once.
    await sql(dataDir, async (database) => {
      await database('alcove_jobs').insert([job('ingest-document', 2), job('purge-document', 1)])
      await database('alcove_uploads').insert({ uuid: randomUUID(), context_id: 1, size_bytes: 9, expires_ms: 1 })
      await database.raw('pragma wal_checkpoint(truncate)')
    })
    const before = await contents(dataDir)
    const { problems } = await repair(dataDir)
    expect(await changedSince(before)).toEqual([])
    const missing = problems.find(({ code }) => code === 'vectors-missing')
    expect(missing).toMatchObject({ isRepairable: false, isRepaired: false })
    expect(missing?.repair).toBe('The database is damaged: restore a backup first.')
  })

  async function loseIndexPage(): Promise<void> {
    let at = 0
    let bytes = 0
    await sql(dataDir, async (database) => {
      await database.raw('pragma wal_checkpoint(truncate)')
      const indexes = database<{ rootpage: number }>('sqlite_master').where('type', 'index')
      const index = await indexes.whereLike('name', '%windows_hash%').first('rootpage')
      const sizes: unknown = await database.raw('pragma page_size')
      bytes = (sizes as [{ page_size: number }])[0].page_size
      at = ((index?.rootpage ?? 0) - 1) * bytes
    })
    const file = await openFile(join(dataDir, 'alcove.sqlite'), 'r+')
    await file.write(Buffer.alloc(bytes, 0xff), 0, bytes, at)
    await file.close()
  }

  it('without one of its tables, or with rows that refer to missing rows, is reported', async () => {
    await sql(dataDir, async (database) => {
      await database.schema.dropTable('alcove_password_tokens')
      await database('alcove_permissions').update({ role_id: 99 })
    })
    const { problems } = await examine(dataDir)
    const messages = problems.map(({ message }) => message)
    expect(messages[0]).toBe('The database is damaged: Table alcove_password_tokens is missing.')
    expect(messages).toContainEqual(
      expect.stringMatching(
        /^The database is damaged: Table alcove_permissions: \d+ of its rows refer to missing rows of alcove_roles\.$/,
      ),
    )
  })
})

function job(kind: string, subject: number) {
  const none = { lease_expires_ms: 0, fencing_token: 0, failures: 0, claims: 0, lane: 0, company_id: 0 }
  return { kind, subject, due_ms: 1, ...none }
}

/** Names of the changed files. */
async function changedSince(before: Readonly<Record<string, string>>): Promise<string[]> {
  const after = await contents(dataDir)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name])
}

/** Every file of a folder, except the lock and the files that SQLite keeps while its database is open. */
async function contents(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /^alcove\.(lock|sqlite-)/.test(entry.name)) continue
    files[join(entry.parentPath, entry.name)] = (await readFile(join(entry.parentPath, entry.name))).toString('base64')
  }
  return files
}
