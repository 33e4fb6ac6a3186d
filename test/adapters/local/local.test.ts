import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import knex from 'knex'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryStarterPromptWriter } from '../../../adapters/memory/index.js'
import { bundledModel } from '../../bundled-model.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

const EXAMPLES = join(import.meta.dirname, '../../../examples/documents')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

describe('an engine on a folder', () => {
  it('creates the folder for its user alone, and finds everything after a restart', async () => {
    const first = await openLocalEngine({ dataDir })
    const session = first.as(first.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'leave.txt', 'Parental leave takes eighteen weeks.')
    await first.close()
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    expect(await readdir(join(dataDir, 'files', uuid.slice(0, 2)))).toEqual([uuid])

    const second = await openLocalEngine({ dataDir })
    expect(second.owner).toEqual(first.owner)
    const [result] = await second.as(second.owner).search(id, 'How long is parental leave?')
    expect(result).toMatchObject({ docId: 1, content: 'Parental leave takes eighteen weeks.' })
    expect(result?.similarity).toBeGreaterThan(0.6)
    await second.close()
    await second.close()
  })

  it('reads a document of each of the six types, and finds the right one by meaning', async () => {
    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 200, topN: 1 } })
    for (const fileName of await readdir(EXAMPLES)) {
      const content = createReadStream(join(EXAMPLES, fileName))
      await session.documents.whenProcessed(await session.documents.upload(id, { fileName, content }))
    }
    const documents = await session.documents.list(id)
    expect(documents.map(({ contentType }) => contentType).sort()).toEqual([
      'application/msword',
      'application/pdf',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'text/csv',
      'text/markdown',
      'text/plain',
    ])
    const nameOf = new Map(documents.map((document) => [document.id, document.originalName]))
    const answers: [question: string, fileName: string, passage: string][] = [
      ['How many weeks do new parents get off?', 'leave-policy.pdf', 'eighteen weeks'],
      ['The display of the coffee machine says E4', 'espresso-machine.docx', 'pump runs without pressure'],
      ['When does the late shift begin?', 'opening-hours.doc', 'half past twelve'],
      ['Which supplier delivers oat milk?', 'suppliers.csv', 'Havre Foods'],
      ['Which cake can a vegan eat?', 'allergens.md', 'Apple crumble'],
      ['When do I learn to make espresso?', 'first-day.txt', 'from the third week on'],
    ]
    for (const [question, fileName, passage] of answers) {
      const [result] = await session.search(id, question)
      expect(nameOf.get(result?.docId ?? 0), question).toBe(fileName)
      expect(result?.content.replaceAll(/\s+/g, ' ')).toContain(passage)
    }
    await engine.close()
  })

  it('gives identical text a similarity of at least 0.95, and unrelated text little', async () => {
    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const text = 'The tide tables of the northern harbours are printed every autumn. '.repeat(60)
    await uploadText(session, id, 'tides.txt', text)
    await uploadText(session, id, 'guitar.txt', 'A guitar has six strings.')
    const [first, ...others] = await session.search(id, text.trim())
    expect(first?.similarity).toBeGreaterThanOrEqual(0.95)
    expect(others.find(({ docId }) => docId === 2)?.similarity).toBeLessThan(0.2)
    await engine.close()
  })

  it('names a misspelt option rather than the missing folder', async () => {
    const misspelt = { dataDri: 'x' } as unknown as { dataDir: string }
    await expect(openLocalEngine(misspelt)).rejects.toMatchObject({
      field: 'dataDri',
      message: expect.stringMatching(/^dataDri: unknown option "dataDri"; expected one of .*\bdataDir\b/) as string,
    })
  })

  it.each([undefined, null, 'x', {}, { dataDir: '' }, { dataDir: 7 }])(
    'does not open without a folder: %j',
    async (options) => {
      const missing = { code: 'ERR_INVALID_INPUT', field: 'dataDir' }
      await expect(openLocalEngine(options as { dataDir: string })).rejects.toMatchObject(missing)
      await expect(openLocalDatabase(options as { dataDir: string })).rejects.toMatchObject(missing)
    },
  )

  it('accepts another adapter for any port', async () => {
    const engine = await openLocalEngine({ dataDir, starterPromptWriter: new MemoryStarterPromptWriter() })
    const { starterPrompts } = await engine.as(engine.owner).contexts.create(NEW_CONTEXT)
    expect(starterPrompts).toEqual(['What is Handbook about?'])
    await engine.close()
  })

  it('refuses calls after it is closed', async () => {
    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    await engine.close()
    expect(() => engine.as(engine.owner)).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }) as Error)
    await expect(session.contexts.list()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })
})

describe('a data folder', () => {
  it('is free after the process that used it was killed', async () => {
    const file = join(folder.path, 'text.txt')
    await writeFile(file, 'Some text. '.repeat(20_000))
    const child = fork(join(import.meta.dirname, '../../crash/ingest-child.mjs'), [dataDir, file], { stdio: 'inherit' })
    await once(child, 'message')
    await expect(openLocalEngine({ dataDir })).rejects.toMatchObject({
      message: expect.stringContaining(`in use by another process (pid ${child.pid ?? 0}): stop it,`) as string,
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (await openLocalEngine({ dataDir })).close()
  })

  it.each([
    [999, 'ERR_SCHEMA_TOO_NEW', /schema version 999.*use a newer version of alcove/],
    [23, 'ERR_SCHEMA_TOO_OLD', /schema version 23.*use a new data folder, or an empty database; nothing was changed/],
  ])('of the schema version %i is refused (%s), and is not changed', async (version, code, message) => {
    await (await openLocalEngine({ dataDir })).close()
    const database = knex({
      client: 'sqlite3',
      connection: { filename: join(dataDir, 'alcove.sqlite') },
      useNullAsDefault: true,
    })
    await database('alcove_schema').update({ version })
    await database.destroy()
    const before = await readFile(join(dataDir, 'alcove.sqlite'))
    await expect(openLocalEngine({ dataDir })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    })
    expect((await readFile(join(dataDir, 'alcove.sqlite'))).equals(before)).toBe(true)
  })

  it('that is a file, or lies below one, is refused', async () => {
    const file = join(folder.path, 'file')
    await writeFile(file, 'x')
    await expect(openLocalEngine({ dataDir: file })).rejects.toMatchObject({ code: 'ERR_DATA_DIR_UNUSABLE' })
    await expect(openLocalEngine({ dataDir: join(file, 'below') })).rejects.toMatchObject({
      code: 'ERR_DATA_DIR_UNUSABLE',
    })
  })

  it('that exists but is not writable is refused with a remedy, and is not locked', async () => {
    // No user, root included, can write to a folder in the place of a file.
    for (const name of ['alcove.lock', 'alcove.lock.json']) {
      await mkdir(join(dataDir, name), { recursive: true })
      await expect(openLocalEngine({ dataDir })).rejects.toMatchObject({
        code: 'ERR_DATA_DIR_UNUSABLE',
        message: expect.stringMatching(
          /cannot write the data folder .* \(\w+\): use a folder that you may write/,
        ) as string,
      })
      await rm(join(dataDir, name), { recursive: true })
    }
    await (await openLocalEngine({ dataDir })).close()
  })

  it('with a damaged database is refused with a remedy', async () => {
    await (await openLocalEngine({ dataDir })).close()
    await rm(join(dataDir, 'alcove.sqlite-wal'), { force: true })
    await writeFile(join(dataDir, 'alcove.sqlite'), 'no database at all, but long enough to look like one '.repeat(100))
    await expect(openLocalEngine({ dataDir })).rejects.toMatchObject({
      code: 'ERR_STORAGE',
      message: expect.stringContaining('damaged; restore it from a backup') as string,
    })
  })

  it('opens after a start that failed because of a missing model', async () => {
    await expect(openLocalEngine({ dataDir, modelDirs: ['/no/model'] })).rejects.toMatchObject({
      code: 'ERR_MODEL_MISSING',
    })
    await (await openLocalEngine({ dataDir })).close()
  })
})

describe('a changed model', () => {
  it('fails its documents with one sentence, and retry completes them after the model is restored', async () => {
    const model = join(folder.path, 'model')
    await cp(bundledModel, model, { recursive: true })
    await rm(join(model, 'onnx'), { recursive: true })
    const engine = await openLocalEngine({ dataDir, modelDirs: [model] })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await session.documents.upload(id, { fileName: 'a.txt', content: Buffer.from('some text') })
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_MODEL_MISSING' })
    await expect(session.search(id, 'text')).rejects.toMatchObject({ code: 'ERR_MODEL_MISSING' })
    await cp(join(bundledModel, 'onnx'), join(model, 'onnx'), { recursive: true })
    await session.documents.retry(uuid)
    expect(await session.documents.whenProcessed(uuid)).toMatchObject({ chunks: 1, error: null })
    expect(await session.search(id, 'text')).toHaveLength(1)
    await engine.close()
  })
})

describe('an engine on the database alone', () => {
  it('works beside one that works on the folder, which purges the data of its deletions', async () => {
    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'a.txt', 'some text')
    const beside = await openLocalDatabase({ dataDir })
    const other = beside.as(beside.owner)
    expect(await other.documents.list(id)).toHaveLength(1)
    await expect(other.search(id, 'text')).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED' })
    const upload = other.documents.upload(id, { fileName: 'b.txt', content: Buffer.from('x') })
    await expect(upload).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED' })
    await other.contexts.delete(id)
    await beside.close()
    await engine.whenCleared()
    expect(await readdir(join(dataDir, 'files', uuid.slice(0, 2)))).toEqual([])
    expect(await tablesIn(dataDir)).toEqual([])
    await engine.close()
  })

  it('needs an initialised folder', async () => {
    await expect(openLocalDatabase({ dataDir })).rejects.toMatchObject({
      code: 'ERR_NOT_INITIALIZED',
      message: expect.stringContaining('run "alcove init" first') as string,
    })
  })
})

describe('the data that a crash leaves behind', () => {
  it('is swept at the next start: files, vectors, uploads and unfinished work', async () => {
    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'a.txt', 'some text')
    await engine.close()

    const orphan = 'aaaaaaaa-0000-4000-8000-000000000001'
    await cp(join(dataDir, 'files', uuid.slice(0, 2), uuid), join(dataDir, 'files/aa', orphan))
    await cp(join(dataDir, 'files', uuid.slice(0, 2), uuid), join(dataDir, 'files/unfinished', `${orphan}-1`))
    const [table = ''] = await tablesIn(dataDir)
    await cp(join(dataDir, 'vectors', table), join(dataDir, 'vectors', table.replace(/^context-\d+/, 'context-99')), {
      recursive: true,
    })
    const database = knex({
      client: 'sqlite3',
      connection: { filename: join(dataDir, 'alcove.sqlite') },
      useNullAsDefault: true,
    })
    await database('alcove_uploads').insert({
      uuid: orphan,
      context_id: id,
      size_bytes: 5_000,
      expires_ms: Date.now() + 600_000,
    })
    await database('alcove_documents').where('uuid', uuid).update({ completed: null })
    await database.destroy()

    const counts: Record<string, unknown>[] = []
    const telemetry = {
      record: ({ name, fields }: { readonly name: string; readonly fields?: object }): void => {
        if (name === 'ingestion.swept') counts.push({ ...fields })
      },
    }
    const reopened = await openLocalEngine({ dataDir, telemetry })
    await reopened.whenCleared()
    expect(counts).toEqual([
      {
        documentsResumed: 1,
        purgesResumed: 0,
        filesRemoved: 1,
        collectionsDropped: 1,
        vectorOrphansRemoved: 0,
        wordCollectionsDropped: 0,
        wordOrphansRemoved: 0,
      },
    ])
    await reopened.as(reopened.owner).documents.whenProcessed(uuid)
    expect(await reopened.as(reopened.owner).search(id, 'text')).toHaveLength(1)
    expect(await tablesIn(dataDir)).toEqual([table])
    await reopened.close()
  })
})

/** Skips the folders that LanceDB needs while it is open. */
async function tablesIn(dataDir: string): Promise<string[]> {
  return (await readdir(join(dataDir, 'vectors'))).filter((name) => name.endsWith('.lance'))
}
