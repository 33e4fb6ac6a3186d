import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from '../../../../src/documents/index.js'
import type { Document, SearchResult, Session } from '../../../../src/index.js'
import { collect } from '../../../conformance/harness.js'
import { NEW_CONTEXT } from '../../engine/memory-engine.js'
import { gate, LARGE_TEXT, smallText, WordEngine } from '../../engine/word-engine.js'

const MODES = ['hybrid', 'semantic', 'keyword'] as const

const NO_TEXT = expect.stringContaining('ERR_NO_TEXT') as string

let engine: WordEngine
let session: Session
let contextId: number

beforeEach(async () => {
  engine = new WordEngine()
  session = (await engine.open()).session
  contextId = await engine.newContext()
})

afterEach(async () => {
  engine.hook = () => undefined
  await engine.close()
})

async function upload(fileName: string, text: string): Promise<Document> {
  return await session.documents.whenProcessed(await engine.upload(contextId, fileName, text))
}

async function replace(document: Document, content: string, fileName?: string): Promise<string> {
  const { id } = document
  return await session.documents.replace({ contextId, id }, { content, ...(fileName !== undefined && { fileName }) })
}

async function get({ id }: Document): Promise<Document> {
  return await session.documents.get({ contextId, id })
}

/** The results of a search for a word that have it. */
async function found(word: string, mode: (typeof MODES)[number] = 'keyword'): Promise<SearchResult[]> {
  const results = await session.search(contextId, word, { mode, topN: 100 })
  return results.filter(({ content }) => content.includes(word))
}

/** Makes the processing of large texts wait. */
function holdModel(): ReturnType<typeof gate> {
  const embedding = gate()
  engine.hook = (step) => (step === 'texts:embed' ? embedding.opened : undefined)
  return embedding
}

async function waitingJobs(kind: string): Promise<number[]> {
  return [...(await engine.storage.read(({ jobs }) => jobs.subjects(kind, { after: 0, limit: 100 })))]
}

describe('a text whose name has no known ending', () => {
  it('is read if the upload says so, and so are the versions that replace it', async () => {
    const { documents } = session
    const input = { fileName: 'Makefile', content: 'all: heron' }
    await expect(documents.upload(contextId, input)).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_FORMAT' })
    const first = await documents.whenProcessed(
      await documents.upload(contextId, { ...input, contentType: 'text/plain' }),
    )
    expect(first).toMatchObject({ originalName: 'Makefile', contentType: 'text/plain' })
    await documents.whenProcessed(await replace(first, 'all: osprey'))
    expect((await found('osprey')).map(({ docId }) => docId)).toEqual([first.id])
    await expect(replace(first, 'all: osprey', 'other')).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_FORMAT' })
  })

  it('is refused with another type than plain text', async () => {
    const input = { fileName: 'a.bin', content: 'x', contentType: 'text/html' as 'text/plain' }
    await expect(session.documents.upload(contextId, input)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field: 'contentType',
    })
  })
})

describe('a replacement', () => {
  it('takes the place of the old version: same id, new UUID, and nothing of the old is found or kept', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const uuid = await replace(old, smallText('osprey'))
    expect(uuid).not.toBe(old.uuid)
    const completed = await session.documents.whenProcessed(uuid)
    expect(completed).toMatchObject({
      id: old.id,
      uuid,
      fileName: uuid,
      originalName: 'faq.txt',
      displayName: 'faq.txt',
    })
    expect(await get(old)).toMatchObject({ ...completed, replacement: null })
    expect(await session.documents.list(contextId)).toEqual([completed])
    await expect(session.documents.get(old.uuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    for (const mode of MODES) {
      expect(await found('heron', mode)).toEqual([])
      const [hit, ...others] = await found('osprey', mode)
      expect(others).toEqual([])
      expect(hit).toMatchObject({ docId: old.id, source: { uuid, originalName: 'faq.txt' } })
    }
    const chunks = await session.documents.chunks(uuid)
    expect(chunks.every(({ docId }) => docId === old.id)).toBe(true)
    const bytes = Buffer.concat(await collect(await session.documents.open({ contextId, id: old.id })))
    expect(bytes.toString()).toContain('osprey')
    await engine.opened.engine.whenCleared()
    await vi.waitFor(async () => {
      expect(await engine.fileStore.sizeOf(old.uuid)).toBeUndefined()
      const rows = await engine.rows(engine.vectors)
      expect(rows).toHaveLength(1)
      expect(await engine.rows(engine.words)).toEqual([[expect.any(String), rows[0]?.[1], completed.chunks]])
      expect(await engine.storage.read(({ documents }) => documents.listDeleted())).toEqual([])
    }, 5_000)
    expect((await engine.opened.engine.administration.verify()).problems).toEqual([])
  })

  it('is not found before it is completed, neither by words nor by meaning, while the old version is', async () => {
    const old = await upload('large.txt', smallText('heron'))
    const events: string[] = []
    for (const name of ['document.findable', 'document.completed', 'document.failed'] as const)
      engine.opened.engine.on(name, ({ fileName }) => events.push(`${name} ${fileName}`))
    const model = holdModel()
    const uuid = await replace(old, LARGE_TEXT)
    await vi.waitFor(async () => {
      const [replacement] = await engine.storage.read(({ documents }) => documents.listReplacements(contextId))
      expect(replacement?.wordsVersion).not.toBeNull()
    }, 20_000)
    for (const mode of MODES) {
      expect(await found('badger', mode)).toEqual([])
      expect((await found('heron', mode)).map(({ docId }) => docId)).toEqual([old.id])
    }
    const shownReplacement = expect.objectContaining({ uuid, originalName: 'large.txt', error: null }) as unknown
    const shown = { ...old, replacement: shownReplacement }
    expect(await session.documents.list(contextId)).toEqual([shown])
    expect(await session.documents.get(uuid)).toMatchObject(shown)
    expect(await session.documents.get(old.uuid)).toMatchObject(shown)
    const { started, size } = (await get(old)).replacement ?? expect.fail()
    expect([typeof started, size]).toEqual(['string', Buffer.byteLength(LARGE_TEXT)])
    const chunks = await session.documents.chunks(uuid)
    expect(chunks.some(({ content }) => content.includes('heron'))).toBe(true)
    expect(events).toEqual([])
    model.open()
    await session.documents.whenProcessed({ contextId, id: old.id })
    expect((await found('badger')).map(({ docId }) => docId)).toEqual([old.id])
    expect(await found('heron')).toEqual([])
    expect(events).toEqual([`document.findable ${uuid}`, `document.completed ${uuid}`])
  })

  it('keeps the old version if it fails, says why, and can be retried', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const failures: Document[] = []
    engine.opened.engine.on('document.failed', (failed) => failures.push(failed))
    const uuid = await replace(old, '   ')
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_NO_TEXT', fileName: uuid })
    await expect(session.documents.whenProcessed({ contextId, id: old.id })).rejects.toMatchObject({ fileName: uuid })
    expect(await get(old)).toMatchObject({
      ...old,
      error: null,
      errorCode: null,
      replacement: { uuid, error: NO_TEXT, errorCode: 'ERR_NO_TEXT' },
    })
    expect(failures).toMatchObject([{ id: old.id, uuid, error: NO_TEXT }])
    for (const mode of MODES) expect(await found('heron', mode)).toHaveLength(1)
    expect((await engine.opened.engine.administration.verify()).problems).toEqual([])
    const retried = await session.documents.retry(old.uuid)
    expect(retried).toMatchObject({ uuid: old.uuid, completed: old.completed, replacement: { uuid, error: null } })
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    await session.documents.whenProcessed(await replace(old, smallText('osprey')))
    expect(await found('heron')).toEqual([])
    expect(await found('osprey')).toHaveLength(1)
  })

  it('is itself replaced by a second one, whether it waits or has failed', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const model = holdModel()
    const first = await replace(old, LARGE_TEXT)
    await vi.waitFor(async () => expect((await get(old)).replacement?.started).toEqual(expect.any(String)), 5_000)
    const waiting = session.documents.whenProcessed(first)
    const second = await replace(old, smallText('osprey'))
    // Only large texts wait for the model: the second one may be completed already.
    const { uuid, replacement } = await get(old)
    expect(replacement?.uuid ?? uuid).toBe(second)
    await expect(session.documents.get(first)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    model.open()
    // The wait follows the document to its newest version.
    expect(await waiting).toMatchObject({ id: old.id, uuid: second })
    expect(await found('badger')).toEqual([])
    await engine.opened.engine.whenCleared()
    expect(await engine.fileStore.sizeOf(first)).toBeUndefined()
    expect(await waitingJobs(INGEST_DOCUMENT)).toEqual([])
    expect(await waitingJobs(PURGE_DOCUMENT)).toEqual([])

    const failed = await replace(old, ' ')
    await expect(session.documents.whenProcessed(failed)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    const last = await replace(old, smallText('ibis'))
    await expect(session.documents.whenProcessed(last)).resolves.toMatchObject({ uuid: last, replacement: null })
    expect((await engine.opened.engine.administration.verify()).problems).toEqual([])
  })

  it('brings its own metadata, into which later changes are merged', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    await session.documents.update(old.uuid, { metadata: { version: 1, team: 'birds' } })
    const reference = { contextId, id: old.id }
    const model = holdModel()
    const metadata = { version: 2 }
    const uuid = await session.documents.replace(reference, { content: LARGE_TEXT, metadata })
    await session.documents.update(reference, { metadata: { owner: 'Ada' } })
    expect((await get(old)).metadata).toEqual({ version: 1, team: 'birds', owner: 'Ada' })
    model.open()
    await session.documents.whenProcessed(uuid)
    expect((await get(old)).metadata).toEqual({ version: 2, owner: 'Ada' })
    // The same bytes again, with other metadata.
    expect(await session.documents.replace(reference, { content: LARGE_TEXT, metadata: { version: 3 } })).toBe(uuid)
    expect((await get(old)).metadata).toEqual({ version: 3 })
  })

  it('with the same bytes and name changes nothing', async () => {
    const text = smallText('heron')
    const old = await upload('faq.txt', text)
    expect(await replace(old, text)).toBe(old.uuid)
    expect(await replace(old, text, 'faq.txt')).toBe(old.uuid)
    expect(await get(old)).toMatchObject({ ...old, replacement: null })
    const model = holdModel()
    const first = await replace(old, LARGE_TEXT)
    expect(await replace(old, LARGE_TEXT)).toBe(first)
    // The bytes of the current version take back the replacement that waits.
    expect(await replace(old, text)).toBe(old.uuid)
    expect(await get(old)).toMatchObject({ ...old, replacement: null })
    model.open()
    await engine.opened.engine.whenCleared()
    expect(await found('heron')).toHaveLength(1)
    expect(await waitingJobs(INGEST_DOCUMENT)).toEqual([])
  })

  it('with the same bytes under another name of the format renames the document at once, and processes nothing', async () => {
    const text = smallText('heron')
    const old = await upload('faq.txt', text)
    await session.documents.update(old.uuid, { metadata: { owner: 'Ada' } })
    await upload('answers.txt', smallText('ibis'))
    const model = holdModel()
    expect(await replace(old, text, 'answers.txt')).toBe(old.uuid)
    const { metadata, started, completed } = await get(old)
    expect([metadata, started, completed]).toEqual([{ owner: 'Ada' }, old.started, old.completed])
    expect(await get(old)).toMatchObject({ originalName: 'answers.txt', nameIndex: 1, replacement: null })
    const [hit] = await found('heron')
    expect(hit?.source).toMatchObject({ uuid: old.uuid, displayName: 'answers (1).txt' })
    expect(await session.documents.list(contextId, { name: 'faq' })).toEqual([])
    expect(await waitingJobs(INGEST_DOCUMENT)).toEqual([])
    model.open()
    // Another format is read in another way.
    const uuid = await replace(old, text, 'answers.md')
    expect(uuid).not.toBe(old.uuid)
    expect(await session.documents.whenProcessed(uuid)).toMatchObject({
      id: old.id,
      originalName: 'answers.md',
      contentType: 'text/markdown',
      metadata: { owner: 'Ada' },
    })
  })

  it('retries a version that has failed, if it has the same bytes', async () => {
    const uuid = await engine.upload(contextId, 'blank.txt', ' ')
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    const failed = await session.documents.get(uuid)
    expect(await replace(failed, ' ')).toBe(uuid)
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    const next = await replace(failed, smallText('osprey'))
    await expect(session.documents.whenProcessed(next)).resolves.toMatchObject({ id: failed.id, error: null })
    expect(await found('osprey')).toHaveLength(1)
  })

  it('replaces a document that is not processed yet', async () => {
    const model = holdModel()
    const first = await engine.upload(contextId, 'faq.txt', LARGE_TEXT)
    const [document] = await session.documents.list(contextId)
    const waiting = session.documents.whenProcessed(first)
    const second = await replace(document ?? expect.fail(), smallText('osprey'))
    model.open()
    expect(await waiting).toMatchObject({ uuid: second })
    await vi.waitFor(async () => expect(await waitingJobs(INGEST_DOCUMENT)).toEqual([]), 10_000)
    await engine.opened.engine.whenCleared()
    expect(await found('badger')).toEqual([])
    expect(await found('osprey')).toHaveLength(1)
    expect((await engine.opened.engine.administration.verify()).problems).toEqual([])
  })

  it('takes a new name, numbered among the other documents of that name', async () => {
    const text = smallText('heron')
    const old = await upload('faq.txt', text)
    await upload('guide.txt', smallText('ibis'))
    const renamed = await session.documents.whenProcessed(await replace(old, text, 'guide.txt'))
    expect(renamed).toMatchObject({ id: old.id, originalName: 'guide.txt', nameIndex: 1, displayName: 'guide (1).txt' })
    const again = await upload('faq.txt', smallText('stork'))
    expect(again).toMatchObject({ nameIndex: 0, displayName: 'faq.txt' })
    const back = await session.documents.whenProcessed(await replace(renamed, text, 'faq.txt'))
    expect(back).toMatchObject({ nameIndex: 1, displayName: 'faq (1).txt' })
    expect((await session.documents.list(contextId)).map(({ id }) => id)).toEqual([old.id, 2, again.id])
  })

  it('is deleted with its document', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const model = holdModel()
    const uuid = await replace(old, LARGE_TEXT)
    const waiting = session.documents.whenProcessed(uuid)
    waiting.catch(() => undefined)
    await session.documents.delete(uuid)
    model.open()
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    await engine.opened.engine.whenCleared()
    expect(await session.documents.list(contextId)).toEqual([])
    expect(await engine.rows(engine.vectors)).toEqual([])
    expect(await engine.rows(engine.words)).toEqual([])
    expect(await engine.fileStore.sizeOf(uuid)).toBeUndefined()
    expect(await engine.storage.read(({ documents }) => documents.listIds(contextId, { after: 0, limit: 9 }))).toEqual(
      [],
    )
  })

  it('is removed with its context', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const uuid = await replace(old, ' ')
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    await session.contexts.delete(contextId)
    await engine.opened.engine.whenCleared()
    expect(await engine.fileStore.sizeOf(uuid)).toBeUndefined()
    expect(await engine.storage.read(({ documents }) => documents.find([1, 2]))).toEqual([])
  })

  it('is resumed after a restart', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    holdModel()
    const uuid = await replace(old, LARGE_TEXT)
    await engine.close()
    engine.hook = () => undefined
    session = (await engine.open()).session
    expect(await session.documents.whenProcessed(uuid)).toMatchObject({ id: old.id, uuid })
    expect(await found('heron')).toEqual([])
    expect(await found('badger')).toHaveLength(1)
  })

  it('needs quota only for its own bytes, as if the old version were gone', async () => {
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000 } })
    contextId = id
    const old = await upload('faq.txt', 'a heron '.repeat(100))
    await expect(replace(old, 'x'.repeat(1_001))).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    await expect(session.documents.checkReplacement({ contextId, id: old.id }, 1_001)).rejects.toMatchObject({
      code: 'ERR_QUOTA_EXCEEDED',
    })
    await session.documents.checkReplacement({ contextId, id: old.id }, 1_000)
    await session.documents.whenProcessed(await replace(old, 'an ibis '.repeat(125)))
    await expect(engine.upload(contextId, 'more.txt', 'x')).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    await session.documents.whenProcessed(await replace(old, 'a stork '.repeat(10)))
    await upload('more.txt', 'x'.repeat(900))
    await expect(replace(old, 'y'.repeat(101))).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    expect((await session.documents.list(contextId)).map(({ size }) => size)).toEqual([80, 900])
  })

  it('refuses wrong input, unknown documents and types that do not fit the name', async () => {
    const old = await upload('faq.txt', smallText('heron'))
    const reference = { contextId, id: old.id }
    const codes: unknown[] = []
    for (const call of [
      () => session.documents.replace(reference, undefined as never),
      () => session.documents.replace(reference, { content: 7 as never }),
      () => session.documents.replace(reference, { content: 'text', fileName: ' ' }),
      () => session.documents.replace(reference, { content: '' }),
      () => session.documents.replace({ contextId, id: 99 }, { content: 'text' }),
      () => session.documents.replace('3d4d8a5e-0000-4000-8000-000000000000', { content: 'text' }),
      () => session.documents.replace(old.id as never, { content: 'text' }),
    ])
      codes.push(await call().catch((error: unknown) => (error as { code: string }).code))
    expect(codes).toEqual([
      'ERR_INVALID_INPUT',
      'ERR_INVALID_INPUT',
      'ERR_INVALID_INPUT',
      'ERR_EMPTY_FILE',
      'ERR_DOCUMENT_NOT_FOUND',
      'ERR_DOCUMENT_NOT_FOUND',
      'ERR_INVALID_INPUT',
    ])
    expect(await get(old)).toMatchObject({ ...old, replacement: null })
  })
})

describe('an edited file', () => {
  const paragraphs = Array.from({ length: 300 }, (_, number) =>
    Array.from({ length: 2 + (number % 5) }, (__, row) => {
      return `Paragraph ${number} has sentence ${row} of ${(number * 7 + row) % 31} words, which say ${'more '.repeat((number * row) % 6)}about it.`
    }).join(' '),
  )
  const insertion = 'This paragraph was written anew, and it is longer than the one before it. '.repeat(7)
  const edits: readonly (readonly [string, readonly string[]])[] = [
    ['one paragraph is another', paragraphs.with(150, insertion)],
    ['one paragraph is inserted', paragraphs.toSpliced(120, 0, insertion)],
    ['one paragraph is removed', paragraphs.toSpliced(170, 1)],
    ['one word is inserted', paragraphs.with(150, `Now ${paragraphs[150] ?? ''}`)],
    ['the first paragraph is another', paragraphs.with(0, insertion)],
  ]

  it.each(edits)('is embedded only where it was changed: %s', async (_edit, edited) => {
    const context = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 100, overlap: 0.2 } })
    contextId = context.id
    const old = await upload('manual.txt', paragraphs.join('\n\n'))
    const before = engine.model.texts
    const uuid = await replace(old, edited.join('\n\n'))
    const { chunks } = await session.documents.whenProcessed(uuid)
    const { receipt } = await session.documents.get(uuid)
    const { windows, windowsReused } = receipt ?? expect.fail()
    expect(chunks).toBeGreaterThan(100)
    expect(windowsReused / windows).toBeGreaterThanOrEqual(0.95)
    expect(engine.model.texts - before).toBeLessThanOrEqual(windows * 0.05)
  })
})
