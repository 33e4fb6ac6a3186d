import { EventEmitter, once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryEmbeddingModel, MemoryStorage } from '../../../adapters/memory/index.js'
import type { Context, DocumentProgress, Session, UploadContent } from '../../../src/index.js'
import { collect } from '../../conformance/harness.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HookedStorage } from '../outbox/hooked-storage.js'

let memory: MemoryEngine
let session: Session
let context: Context

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  context = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000, chunkSizeTokens: 20 } })
})

afterEach(async () => {
  await memory.engine.close()
})

const TEXT = 'The harbour café opens at seven. The kitchen closes at nine.'

describe('an upload', () => {
  const forms: Record<string, () => UploadContent> = {
    'a string': () => TEXT,
    'a Uint8Array': () => new TextEncoder().encode(TEXT),
    'a Blob': () => new Blob([TEXT]),
    'a Readable': () => Readable.from([Buffer.from(TEXT)]),
    'a ReadableStream': () => new Blob([TEXT]).stream(),
    'an AsyncIterable': () => pieces(TEXT, 7),
  }
  it.each(Object.entries(forms))('accepts %s', async (_form, content) => {
    const uuid = await session.documents.upload(context.id, { fileName: 'hours.txt', content: content() })
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    await session.documents.whenProcessed(uuid)
    const bytes = Buffer.concat(await collect(await session.documents.open(uuid)))
    expect(bytes.toString()).toBe(TEXT)
    expect((await session.documents.chunks(uuid)).map(({ content: chunk }) => chunk).join(' ')).toBe(TEXT)
  })

  it('creates a record with every member of the specification, and error', async () => {
    const uuid = await uploadText(session, context.id, 'hours.txt', TEXT)
    expect(await session.documents.list(context.id)).toEqual(
      [
        {
          id: 1,
          contextId: context.id,
          uuid,
          fileName: uuid,
          originalName: 'hours.txt',
          displayName: 'hours.txt',
          nameIndex: 0,
          contentType: 'text/plain',
          contentHash: '9a5c46d7c2ff1e7d5e3d0a2f',
          size: Buffer.byteLength(TEXT),
          chunks: 1,
          created: '2026-01-01T00:00:00.000Z',
          createdBy: memory.engine.owner.userId,
          started: '2026-01-01T00:00:00.000Z',
          completed: '2026-01-01T00:00:00.000Z',
          error: null,
          errorCode: null,
          metadata: {},
          replacement: null,
        },
      ].map((record) => ({ ...record, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string })),
    )
  })

  it('has a receipt that proves that no text was cut', async () => {
    const uuid = await uploadText(session, context.id, 'hours.txt', TEXT)
    const { receipt } = await session.documents.get(uuid)
    expect(receipt).toMatchObject({
      bytes: Buffer.byteLength(TEXT),
      characters: TEXT.length,
      tokens: 13,
      chunks: 1,
      windows: 1,
      windowsReused: 0,
      embeddingModel: 'memory',
      warnings: [],
    })
  })

  it('is identified by the values in a search hit, and not by its id alone', async () => {
    await uploadText(session, context.id, 'hours.txt', TEXT)
    const [hit] = await session.search(context.id, 'harbour')
    const document = { contextId: context.id, id: hit?.docId ?? 0 }
    expect(await session.documents.get(document)).toMatchObject({ originalName: 'hours.txt' })
    expect((await session.documents.chunks(document))[0]?.content).toBe(hit?.content)
    for (const read of ['get', 'open', 'chunks'] as const)
      await expect(session.documents[read](hit?.docId as unknown as string)).rejects.toMatchObject({
        code: 'ERR_INVALID_INPUT',
        message: expect.stringMatching(/^document: must be a UUID or \{ contextId, id \}/) as string,
      })
  })

  it('adds to the count of documents with the same name', async () => {
    for (const text of ['first', 'second', 'third']) await uploadText(session, context.id, 'report.final.txt', text)
    await uploadText(session, context.id, 'other.txt', 'fourth')
    expect(
      (await session.documents.list(context.id)).map(({ nameIndex, displayName }) => [nameIndex, displayName]),
    ).toEqual([
      [0, 'report.final.txt'],
      [1, 'report.final (1).txt'],
      [2, 'report.final (2).txt'],
      [0, 'other.txt'],
    ])
  })

  it('of the same bytes under the same name returns the existing document', async () => {
    const first = await uploadText(session, context.id, 'a.txt', TEXT)
    const second = await session.documents.upload(context.id, { fileName: 'a.txt', content: Buffer.from(TEXT) })
    expect(second).toBe(first)
    expect(await session.documents.list(context.id)).toHaveLength(1)
    expect(await collect(memory.fileStore.list())).toEqual([first])
  })

  it('of a name with an accent in one code point or in two is one name', async () => {
    const { documents } = memory.session
    const [composed, decomposed] = ['r\u00e9sum\u00e9.txt', 're\u0301sume\u0301.txt']
    const contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
    const first = await documents.upload(contextId, { fileName: decomposed, content: 'one' })
    expect(await documents.upload(contextId, { fileName: composed, content: 'one' })).toBe(first)
    const second = await documents.upload(contextId, { fileName: composed, content: 'two' })
    expect(await documents.get(second)).toMatchObject({ originalName: composed, nameIndex: 1 })
    for (const name of [composed, decomposed]) expect(await documents.list(contextId, { name })).toHaveLength(2)
    expect(await documents.replace(second, { fileName: decomposed, content: 'two' })).toBe(second)
    expect(await documents.get(second)).toMatchObject({ originalName: composed, nameIndex: 1 })
  })

  it('is found by its path with an accent in one code point or in two, also among others', async () => {
    const { documents, contexts } = memory.session
    const [composed, decomposed] = ['caf\u00e9/a.txt', 'cafe\u0301/a.txt']
    const contextId = (await contexts.create(NEW_CONTEXT)).id
    await documents.upload(contextId, { fileName: 'a.txt', content: 'one', metadata: { path: decomposed } })
    await documents.upload(contextId, { fileName: 'b.txt', content: 'two', metadata: { path: 'b.txt' } })
    const completed = async () => (await documents.list(contextId)).every((document) => document.completed !== null)
    await expect.poll(completed).toBe(true)
    for (const path of [composed, decomposed]) {
      const filter = { metadata: { path } }
      const prompt = 'one two'
      const hits = await memory.session.search(contextId, prompt, { filter, minEvidence: 0 })
      expect(hits.map(({ source }) => source.displayName)).toEqual(['a.txt'])
      const without = { filter: { metadata: { path: { not: path } } }, minEvidence: 0 }
      const others = [
        await memory.session.search(contextId, prompt, without),
        await memory.session.searchAll([contextId], prompt, without),
        (await memory.session.explain(contextId, prompt, without)).hits,
        (await memory.session.prepare(contextId, prompt, without)).sources,
      ]
      for (const found of others) expect(JSON.stringify(found)).not.toContain('a.txt')
      for (const condition of [path, { in: ['none', path] }, { not: 'b.txt', gte: path }]) {
        const listed = await documents.list(contextId, { filter: { metadata: { path: condition } } })
        expect(listed.map(({ metadata }) => metadata)).toEqual([{ path: composed }])
      }
      const listed = await documents.list(contextId, { filter: { metadata: { path: { not: { in: [path] } } } } })
      expect(listed.map(({ originalName }) => originalName)).toEqual(['b.txt'])
    }
  })

  it('with a path that is too long in composed form is refused', async () => {
    const contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
    const metadata = { path: '\ufb2c'.repeat(5_400) }
    await expect(
      memory.session.documents.upload(contextId, { fileName: 'a.txt', content: 'one', metadata }),
    ).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'metadata' })
  })

  it('of the same bytes under another name is another document, which reuses the known vectors', async () => {
    const embedded = vi.spyOn(MemoryEmbeddingModel.prototype, 'embed')
    const first = await uploadText(session, context.id, 'a.txt', TEXT)
    const texts = (): number => embedded.mock.calls.reduce((sum, [batch]) => sum + batch.length, 0)
    const before = texts()
    const second = await uploadText(session, context.id, 'b.txt', TEXT)
    expect(second).not.toBe(first)
    expect(texts()).toBe(before)
    expect((await session.documents.get(second)).receipt).toMatchObject({ windows: 1, windowsReused: 1 })
    expect(await session.search(context.id, TEXT, { collapse: false })).toHaveLength(2)
    embedded.mockRestore()
  })

  // U9
  it('keeps unusual names as names, and never as a path', async () => {
    const names = [
      '../../x.txt',
      'C:\\temp\\y.txt',
      'a\u202egpj.txt',
      `${'n'.repeat(9_996)}.txt`,
      ' .txt',
      '日本語.txt',
    ]
    for (const [index, name] of names.entries()) await uploadText(session, context.id, name, `text ${index}`)
    await uploadText(session, context.id, 'a\0b\r\nc.txt', 'more')
    const listed = (await session.documents.list(context.id)).map(({ originalName }) => originalName)
    const shown = ['x.txt', 'y.txt', 'a\ufffdgpj.txt', ...names.slice(3), 'a\ufffdb\ufffd\ufffdc.txt']
    expect(listed).toEqual(shown)
    for (const key of await collect(memory.fileStore.list())) expect(key).toMatch(/^[0-9a-f-]{36}$/)
  })

  const bad: [what: string, fileName: unknown, content: unknown, code: string][] = [
    ['another format', 'a.exe', Buffer.from('x'), 'ERR_UNSUPPORTED_FORMAT'],
    ['no ending', 'a', Buffer.from('x'), 'ERR_UNSUPPORTED_FORMAT'],
    ['a program', 'a.txt', Buffer.from([0x7f, 0x45, 0x4c, 0x46]), 'ERR_UNSUPPORTED_FORMAT'],
    ['an empty file', 'a.txt', Buffer.alloc(0), 'ERR_EMPTY_FILE'],
    ['an empty stream', 'a.txt', Readable.from([]), 'ERR_EMPTY_FILE'],
    ['no name', undefined, Buffer.from('x'), 'ERR_INVALID_INPUT'],
    ['a blank name', '  ', Buffer.from('x'), 'ERR_INVALID_INPUT'],
    ['a name of 10,001 characters', `${'n'.repeat(9_997)}.txt`, Buffer.from('x'), 'ERR_INVALID_INPUT'],
    ['content that is a number', 'a.txt', 12, 'ERR_INVALID_INPUT'],
    ['an empty string', 'a.txt', '', 'ERR_EMPTY_FILE'],
    ['no content', 'a.txt', undefined, 'ERR_INVALID_INPUT'],
    ['a stream of text', 'a.txt', Readable.from(['text']), 'ERR_INVALID_INPUT'],
  ]
  it.each(bad)('of %s is refused, and leaves nothing', async (_what, fileName, content, code) => {
    const upload = { fileName: fileName as string, content: content as UploadContent }
    await expect(session.documents.upload(context.id, upload)).rejects.toMatchObject({ code })
    await expectNothingLeft()
  })

  it('into a missing context is refused before its bytes are read, and its stream is closed', async () => {
    const read = vi.fn()
    const readable = new Readable({ read })
    const webStream = new ReadableStream<Uint8Array>({ pull: read }, { highWaterMark: 0 })
    const cancelled = vi.spyOn(webStream, 'cancel')
    for (const content of [readable, webStream]) {
      const upload = session.documents.upload(99, { fileName: 'a.txt', content })
      await expect(upload).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    }
    expect(read).not.toHaveBeenCalled()
    expect(readable.destroyed).toBe(true)
    expect(cancelled).toHaveBeenCalledOnce()
  })

  it('of a stream that fails before it is read is refused with its error', async () => {
    const upload = session.documents.upload(context.id, {
      fileName: 'a.txt',
      content: createReadStream('/no/such/file'),
    })
    await expect(upload).rejects.toMatchObject({ code: 'ENOENT' })
    await expectNothingLeft()
  })

  // U6
  it('that breaks off leaves nothing, and releases its quota', async () => {
    async function* cutOff(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(TEXT)
      throw new Error('connection reset')
    }
    await expect(session.documents.upload(context.id, { fileName: 'a.txt', content: cutOff() })).rejects.toThrow(
      'connection reset',
    )
    await expectNothingLeft()
  })

  // U6
  it('keeps its bytes when its commit succeeds but the confirmation is lost', async () => {
    let isLost = true
    const storage = new HookedStorage(
      new MemoryStorage(),
      (_call, go) => go(),
      (calls, moment) => {
        if (moment !== 'after-commit' || !isLost || !calls.includes('documents.insert')) return
        isLost = false
        throw new Error('the connection was lost')
      },
    )
    await memory.engine.close()
    memory = await memoryEngine({ storage })
    session = memory.session
    context = await session.contexts.create(NEW_CONTEXT)
    const upload = { fileName: 'hours.txt', content: Buffer.from(TEXT) }
    await expect(session.documents.upload(context.id, upload)).rejects.toThrow('the connection was lost')
    const uuid = await session.documents.upload(context.id, upload)
    expect(await session.documents.list(context.id)).toMatchObject([{ fileName: uuid }])
    await session.documents.whenProcessed(uuid)
    expect(Buffer.concat(await collect(await session.documents.open(uuid))).toString()).toBe(TEXT)
  })

  it('that is aborted leaves nothing, and releases its quota', async () => {
    const abort = new AbortController()
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(TEXT)
      setTimeout(() => abort.abort(new Error('no longer wanted')), 10)
      await new Promise((resolve) => setTimeout(resolve, 20))
      yield Buffer.from(TEXT)
    }
    const upload = session.documents.upload(
      context.id,
      { fileName: 'a.txt', content: endless() },
      { signal: abort.signal },
    )
    await expect(upload).rejects.toThrow('no longer wanted')
    await expectNothingLeft()
  })
})

describe('an upload that is aborted', () => {
  const hangs = async (): Promise<never> => await new Promise<never>(() => undefined)
  const sources: Record<string, (abort: AbortController) => AsyncGenerator<Uint8Array>> = {
    'before its first byte': async function* (abort) {
      setTimeout(() => abort.abort(new Error('no longer wanted')), 10)
      await hangs()
      yield Buffer.from(TEXT)
    },
    'while its bytes come slowly': async function* (abort) {
      for (let piece = 0; piece < 3; piece += 1) {
        yield Buffer.from(TEXT)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      setTimeout(() => abort.abort(new Error('no longer wanted')), 10)
      await hangs()
    },
  }
  it.each(Object.entries(sources))('%s rejects with the reason, and leaves nothing', async (_when, source) => {
    const abort = new AbortController()
    const upload = { fileName: 'a.txt', content: source(abort) }
    await expect(session.documents.upload(context.id, upload, { signal: abort.signal })).rejects.toThrow(
      'no longer wanted',
    )
    await expectNothingLeft()
  })

  it('before it starts does not read its source', async () => {
    const read = vi.fn()
    const content = new Readable({ read })
    const signal = AbortSignal.abort(new Error('no longer wanted'))
    const upload = session.documents.upload(context.id, { fileName: 'a.txt', content }, { signal })
    await expect(upload).rejects.toThrow('no longer wanted')
    expect(read).not.toHaveBeenCalled()
    await expectNothingLeft()
  })
})

describe('the quota', () => {
  const fill = (bytes: number): Buffer => Buffer.alloc(bytes, 'word ')

  // U1
  it('accepts a file that fits exactly, and not one byte more', async () => {
    await uploadText(session, context.id, 'a.txt', fill(1_000).toString())
    await expect(session.documents.upload(context.id, { fileName: 'b.txt', content: fill(1) })).rejects.toMatchObject({
      code: 'ERR_QUOTA_EXCEEDED',
    })
  })

  // U2
  it('stops a stream at the limit', async () => {
    let read = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 100
        yield fill(100)
      }
    }
    await expect(session.documents.upload(context.id, { fileName: 'a.txt', content: endless() })).rejects.toMatchObject(
      {
        code: 'ERR_QUOTA_EXCEEDED',
        message: expect.stringContaining('together may have 1000 bytes') as string,
      },
    )
    expect(read).toBeLessThanOrEqual(5_000)
    await expectNothingLeft()
  })

  // U3
  it.each([
    ['of known size', (bytes: number): UploadContent => fill(bytes)],
    ['of unknown size', (bytes: number): UploadContent => pieces(fill(bytes).toString(), 50)],
  ])('admits one of two uploads %s when only one fits', async (_what, content) => {
    const uploads = ['a.txt', 'b.txt'].map((fileName) =>
      session.documents.upload(context.id, { fileName, content: content(600) }),
    )
    const outcomes = await Promise.allSettled(uploads)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'ERR_QUOTA_EXCEEDED' },
    })
    expect(await session.documents.list(context.id)).toHaveLength(1)
  })

  // U3
  it('is reserved by streams as their bytes arrive: twenty streams together never exceed it', async () => {
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 1_000_000 } })
    const taken = new Map<number, number>()
    let most = 0
    async function* stream(number: number): AsyncGenerator<Uint8Array> {
      try {
        for (let piece = 0; piece < 90; piece += 1) {
          yield Buffer.alloc(10_000, `word${number} `)
          taken.set(number, (piece + 1) * 10_000)
          most = Math.max(
            most,
            [...taken.values()].reduce((sum, bytes) => sum + bytes, 0),
          )
        }
      } finally {
        taken.delete(number)
      }
    }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) =>
        session.documents.upload(id, { fileName: `${number}.txt`, content: stream(number) }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    }
    expect(most).toBeLessThanOrEqual(1_000_000)
    expect(await memory.storage.read(({ uploads }) => uploads.usedBytes(id))).toBe(900_000)
  })

  it('remains available to a stream while another one reserves only what it needs', async () => {
    const uploads = ['a.txt', 'b.txt'].map((fileName) =>
      session.documents.upload(context.id, { fileName, content: pieces(`${fileName} ${fill(440).toString()}`, 50) }),
    )
    expect(new Set(await Promise.all(uploads)).size).toBe(2)
  })

  // U1
  it('refuses a stream with a too large expected size before a byte is read', async () => {
    const read = vi.fn()
    for (const [options, message] of [
      [{ expectedBytes: 1_001 }, 'together may have 1000 bytes'],
      [{ expectedBytes: 500, maxFileBytes: 400 }, 'more than 400 bytes'],
      [{ expectedBytes: -1 }, 'expectedBytes: must be an integer, 0 or more'],
    ] as const) {
      const upload = session.documents.upload(
        context.id,
        { fileName: 'a.txt', content: new Readable({ read }) },
        options,
      )
      await expect(upload).rejects.toThrow(message)
    }
    expect(read).not.toHaveBeenCalled()
    await expectNothingLeft()
  })

  it.each([10, 1_000])(
    'reserves the bytes that a stream needs, whatever size it expected: %i bytes',
    async (expectedBytes) => {
      const content = pieces(fill(600).toString(), 50)
      await session.documents.upload(context.id, { fileName: 'a.txt', content }, { expectedBytes })
      expect(await memory.storage.read(({ uploads }) => uploads.usedBytes(context.id))).toBe(600)
    },
  )

  // A62
  it('is reserved for a stalled upload only up to 16 MiB beyond the received bytes', async () => {
    const MIB = 1_048_576
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { maxSizeBytes: 24 * MIB } })
    const used = async () => await memory.storage.read(({ uploads }) => uploads.usedBytes(id))
    const signals = new EventEmitter()
    async function* stalled(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(MIB, 'word ')
      yield Buffer.alloc(MIB, 'word ')
      signals.emit('stalled')
      await once(signals, 'go on')
      for (let sent = 2; sent < 24; sent += 1) yield Buffer.alloc(MIB, 'word ')
    }
    const hasStalled = once(signals, 'stalled')
    const content = { fileName: 'a.txt', content: stalled() }
    const outcome = session.documents.upload(id, content, { expectedBytes: 24 * MIB }).catch((error: unknown) => error)
    await hasStalled
    expect(await used()).toBeLessThanOrEqual(18 * MIB)
    await session.documents.upload(id, { fileName: 'b.txt', content: Buffer.alloc(5 * MIB, 'other ') })
    signals.emit('go on')
    expect(await outcome).toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    expect(await used()).toBe(5 * MIB)
  })

  it('is released for an upload that paused too long, and a sweep may remove its file', async () => {
    async function* paused(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(TEXT)
      await memory.storage.transaction(({ uploads }) => uploads.removeExpired({ all: true }))
    }
    const upload = session.documents.upload(context.id, { fileName: 'a.txt', content: paused() })
    await expect(upload).rejects.toMatchObject({ code: 'ERR_LEASE_LOST' })
    await expectNothingLeft()
  })

  it('is released when a document is deleted', async () => {
    const uuid = await uploadText(session, context.id, 'a.txt', fill(900).toString())
    await session.documents.delete(uuid)
    await uploadText(session, context.id, 'b.txt', fill(900).toString())
  })

  it('is not needed for the same bytes under the same name, sent at once or as a stream', async () => {
    const uuid = await uploadText(session, context.id, 'a.txt', fill(700).toString())
    await uploadText(session, context.id, 'b.txt', fill(300).toString())
    const secondUpload = async (content: UploadContent): Promise<string> =>
      await session.documents.upload(context.id, { fileName: 'a.txt', content })
    expect(await secondUpload(fill(700))).toBe(uuid)
    expect(await secondUpload(pieces(fill(700).toString(), 50))).toBe(uuid)
    await session.documents.checkRoom(context.id, 700)
    for (const content of [fill(701), Buffer.alloc(700, 'other '), pieces(fill(701).toString(), 50)]) {
      await expect(secondUpload(content)).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    }
    const asAnother = session.documents.upload(context.id, { fileName: 'c.txt', content: fill(700) })
    await expect(asAnother).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    expect(await memory.storage.read(({ uploads }) => uploads.usedBytes(context.id))).toBe(1_000)
    expect(await session.documents.list(context.id)).toHaveLength(2)
  })

  it('can be smaller for one file', async () => {
    const upload = session.documents.upload(
      context.id,
      { fileName: 'a.txt', content: fill(500) },
      { maxFileBytes: 400 },
    )
    await expect(upload).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
    await session.documents.upload(context.id, { fileName: 'a.txt', content: fill(400) }, { maxFileBytes: 400 })
  })
})

describe('the processing of a document', () => {
  it('reports its progress and its end', async () => {
    const progress: DocumentProgress[] = []
    const completed: string[] = []
    memory.engine.on('document.progress', (event) => progress.push(event))
    memory.engine.on('document.completed', ({ fileName }) => completed.push(fileName))
    const uuid = await uploadText(session, context.id, 'a.txt', TEXT)
    expect(completed).toEqual([uuid])
    expect(progress.at(-1)).toEqual({
      contextId: context.id,
      fileName: uuid,
      stage: 'embedding',
      charactersExtracted: TEXT.length,
      windowsEmbedded: 1,
      windowsTotal: 1,
      percent: 99,
    })
  })

  it('counts windows as embedded batch by batch', async () => {
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 16, overlap: 0 } })
    const counts: unknown[] = []
    memory.engine.on('document.progress', ({ stage, windowsEmbedded, windowsTotal, percent }) => {
      if (stage === 'embedding') counts.push([windowsEmbedded, windowsTotal, percent])
    })
    const words = Array.from({ length: 16 * 1_000 }, (_, number) => `word${number}`)
    const uuid = await uploadText(session, id, 'a.txt', words.join(' '))
    expect(counts).toEqual([
      [0, 1_000, 0],
      [256, 1_000, 25],
      [512, 1_000, 51],
      [768, 1_000, 76],
      [1_000, 1_000, 99],
    ])
    expect((await session.documents.get(uuid)).receipt?.windows).toBe(1_000)
  })

  it('accepts only known events, and only functions as listeners', () => {
    const on = memory.engine.on.bind(memory.engine) as (name: string, listener?: unknown) => () => void
    for (const name of ['document.bogus', 'toString'])
      expect(() => on(name, () => undefined)).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_INPUT',
          message: `name: unknown event "${name}"; expected one of document.completed, document.failed, document.progress, document.findable, context.reindexed`,
        }) as Error,
      )
    expect(() => on('document.completed')).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_INPUT',
        message: 'listener: must be a function, for the event document.completed',
      }) as Error,
    )
  })

  it('continues when a listener throws', async () => {
    memory.engine.on('document.completed', () => {
      throw new Error('my fault')
    })
    await uploadText(session, context.id, 'a.txt', TEXT)
    expect(memory.telemetry.events.some(({ name }) => name === 'events.listener.failed')).toBe(true)
  })

  it('of a document without text ends with one sentence and a code, and searches find nothing', async () => {
    const failed: unknown[] = []
    memory.engine.on('document.failed', (document) => failed.push(document.error))
    const uuid = await session.documents.upload(context.id, { fileName: 'blank.txt', content: Buffer.from(' \n ') })
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({
      code: 'ERR_NO_TEXT',
      message: 'blank.txt: The file has no text (ERR_NO_TEXT)',
    })
    expect(await session.documents.get(uuid)).toMatchObject({
      completed: null,
      chunks: 0,
      error: 'The file has no text (ERR_NO_TEXT)',
      receipt: null,
    })
    await vi.waitFor(() => {
      expect(failed).toEqual(['The file has no text (ERR_NO_TEXT)'])
    })
    expect(await session.search(context.id, 'text')).toEqual([])
  })

  it('of a failed document can be repeated, by retry and by the same upload', async () => {
    const broken = vi
      .spyOn(MemoryEmbeddingModel.prototype, 'embed')
      .mockRejectedValue(Object.assign(new Error('x'), {}))
    const uuid = await session.documents.upload(context.id, {
      fileName: 'a.txt',
      content: Buffer.from([0xff, 0xfe, 0xfd]),
    })
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_UNDECODABLE_TEXT' })
    broken.mockRestore()
    expect(await session.documents.retry(uuid)).toMatchObject({ error: null, started: null })
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_UNDECODABLE_TEXT' })
    const secondUuid = await session.documents.upload(context.id, {
      fileName: 'a.txt',
      content: Buffer.from([0xff, 0xfe, 0xfd]),
    })
    expect(secondUuid).toBe(uuid)
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_UNDECODABLE_TEXT' })
  })

  it('is not retried for a document that has not failed', async () => {
    const uuid = await uploadText(session, context.id, 'a.txt', TEXT)
    await expect(session.documents.retry(uuid)).rejects.toThrow('has not failed: it is completed')
  })

  it('succeeds after a transient error of the model', async () => {
    const embed = vi.spyOn(MemoryEmbeddingModel.prototype, 'embed').mockRejectedValueOnce(new Error('a hiccup'))
    await uploadText(session, context.id, 'a.txt', TEXT)
    expect(await session.search(context.id, TEXT)).toHaveLength(1)
    embed.mockRestore()
  })

  it('reveals no internal details when the error persists', async () => {
    const embed = vi
      .spyOn(MemoryEmbeddingModel.prototype, 'embed')
      .mockRejectedValue(Object.assign(new Error('secret path /etc'), { name: 'TypeError' }))
    const uuid = await session.documents.upload(context.id, { fileName: 'a.txt', content: Buffer.from(TEXT) })
    // Every retry is due at once: another test covers the backoff.
    const hurry = setInterval(() => {
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000)
    }, 20)
    const failure = await session.documents.whenProcessed(uuid).catch((error: unknown) => error)
    clearInterval(hurry)
    vi.restoreAllMocks()
    embed.mockRestore()
    expect(failure).toMatchObject({
      code: 'ERR_INTERNAL',
      message: 'a.txt: The document could not be processed because of an internal error (ERR_INTERNAL)',
    })
    expect(memory.telemetry.events.filter(({ name }) => name === 'jobs.failed')).toHaveLength(5)
  })
})

describe('a document that is deleted', () => {
  it('is hidden at once, and its chunks, vectors and file are purged', async () => {
    const deletedUuid = await uploadText(session, context.id, 'gone.txt', TEXT)
    const kept = await uploadText(session, context.id, 'kept.txt', 'Another text about something else.')
    const [record] = await session.documents.list(context.id)
    expect(await session.documents.delete({ contextId: context.id, id: record?.id ?? 0 })).toMatchObject({
      fileName: deletedUuid,
    })
    expect((await session.documents.list(context.id)).map(({ fileName }) => fileName)).toEqual([kept])
    await expect(session.documents.get(deletedUuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    expect((await session.search(context.id, TEXT)).map(({ docId }) => docId)).toEqual([2])
    await memory.engine.whenCleared()
    expect(await collect(memory.fileStore.list())).toEqual([kept])
    const [collection] = await memory.vectorIndex.listCollections()
    expect([...(await memory.vectorIndex.countByDocument(collection ?? '')).keys()]).toEqual([2])
    expect(await memory.storage.read(({ documents }) => documents.existing([1, 2]))).toEqual(new Set([2]))
  })

  it('is no longer processed', async () => {
    const embed = vi.spyOn(MemoryEmbeddingModel.prototype, 'embed').mockImplementation(async (_texts, { signal }) => {
      return await new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    })
    const uuid = await session.documents.upload(context.id, { fileName: 'a.txt', content: Buffer.from(TEXT) })
    const waiting = session.documents.whenProcessed(uuid)
    await vi.waitFor(() => {
      expect(embed).toHaveBeenCalled()
    })
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' }),
      session.documents.delete(uuid),
    ])
    embed.mockRestore()
    await memory.engine.whenCleared()
    await expectNothingLeft()
  })

  it('must exist', async () => {
    const missing = { code: 'ERR_DOCUMENT_NOT_FOUND' }
    await expect(session.documents.delete('11111111-2222-4333-8444-555555555555')).rejects.toMatchObject(missing)
    await expect(session.documents.delete({ contextId: context.id, id: 99 })).rejects.toMatchObject(missing)
    await expect(session.documents.delete({ contextId: 99, id: 1 })).rejects.toMatchObject({
      code: 'ERR_CONTEXT_NOT_FOUND',
    })
    const uuid = await uploadText(session, context.id, 'a.txt', TEXT)
    const other = await session.contexts.create(NEW_CONTEXT)
    await expect(session.documents.delete({ contextId: other.id, id: 1 })).rejects.toMatchObject(missing)
    expect(await session.documents.get(uuid)).toMatchObject({ error: null })
  })
})

async function expectNothingLeft(): Promise<void> {
  expect(await session.documents.list(context.id)).toEqual([])
  expect(await collect(memory.fileStore.list())).toEqual([])
  expect(await memory.storage.read(({ uploads }) => uploads.usedBytes(context.id))).toBe(0)
}

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
