import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryTextExtractor } from '../../../adapters/memory/index.js'
import { Gaps, gapLength, gapParts } from '../../../src/documents/pipeline/gaps.js'
import type { Session } from '../../../src/index.js'
import { sized } from '../../full-form.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const WHITE_SPACE = fc.array(fc.constantFrom(' ', '\n', '\r', '\r\n', '\t', '\u00a0', '\f'), { maxLength: 40 })

describe('the white space between chunks', () => {
  it('is kept exactly, in any parts', () => {
    fc.assert(
      fc.property(WHITE_SPACE, WHITE_SPACE, WHITE_SPACE, fc.nat(), fc.nat(), (before, between, after, one, other) => {
        const [first, second, last] = [before.join(''), between.join(''), after.join('')]
        const text = `${first}word${second}next${last}`
        const gaps = new Gaps()
        for (const part of text.match(/[^]{1,3}/g) ?? []) gaps.add(part)
        const found = [
          gaps.before({ start: first.length, text: 'word' }),
          gaps.before({ start: first.length + 4 + second.length, text: 'next' }),
          gaps.end(),
        ]
        for (const [index, gap] of [first, second, last].entries()) {
          const kept = found[index] ?? ''
          expect([...gapParts(kept, 0, gap.length)].join('')).toBe(gap)
          expect(gapLength(kept)).toBe(gap.length)
          const [from = 0, to = 0] = [one % (gap.length + 1), other % (gap.length + 1)].sort((a, b) => a - b)
          expect([...gapParts(kept, from, to)].join('')).toBe(gap.slice(from, to))
        }
      }),
    )
  })

  it('needs hardly any memory if it is long, and is given up if it is too mixed', () => {
    const gaps = new Gaps()
    for (let part = 0; part < 1_000; part += 1) {
      gaps.add('\r\n'.repeat(16_384))
      gaps.settle((part + 1) * 32_768)
    }
    expect(gaps.before({ start: 32_768_000, text: 'word' })).toBe('L16384000')
    for (const part of gapParts('L16384000', 1, 32_768_000)) expect(part.length).toBeLessThanOrEqual(65_536)
    gaps.add(`word${' \t'.repeat(10_000)}`)
    expect(gaps.end()).toBeNull()
  })
})

describe('the text of a document', () => {
  let memory: MemoryEngine
  let session: Session
  let contextId: number

  beforeAll(async () => {
    memory = await memoryEngine({ textExtractor: new MemoryTextExtractor() })
    session = memory.session
    const settings = { chunkSizeTokens: 20, overlap: 0.2 }
    contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings })).id
  })

  afterAll(async () => {
    await memory.engine.close()
  })

  const PART = fc.constantFrom(
    'word ',
    'A sentence. ',
    '\n\n',
    '\r\n',
    '  ',
    '👍 ',
    ' '.repeat(1_500),
    '中文字符。',
    '\t',
    'long'.repeat(30),
  )

  it('is the extracted text at any offsets, and each chunk at its own', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(PART, { minLength: 1, maxLength: 120 }),
        fc.nat(),
        fc.nat(),
        async (parts, one, other) => {
          const text = parts.join('')
          fc.pre(text.trim() !== '')
          const uuid = await uploadText(session, contextId, 'a.txt', text)
          expect(await session.documents.text(uuid)).toBe(text)
          const [start = 0, end = 0] = [one % (text.length + 1), other % (text.length + 1)].sort((a, b) => a - b)
          expect(await session.documents.text(uuid, { start, end })).toBe(text.slice(start, end))
          for (const chunk of await session.documents.chunks(uuid)) {
            expect(await session.documents.text(uuid, { start: chunk.start, end: chunk.end })).toBe(chunk.content)
          }
        },
      ),
      { numRuns: sized(25, 60) },
    )
  })

  it('is refused outside of its length, and before the document is completed, with a sentence that says why', async () => {
    const uuid = await uploadText(session, contextId, 'b.txt', 'some words')
    await expect(session.documents.text(uuid, { end: 11 })).rejects.toThrow('end: must be at most 10')
    await expect(session.documents.text(uuid, { start: 4, end: 2 })).rejects.toThrow('start: must be at most 2')
    await expect(session.documents.text(uuid, { start: -1 })).rejects.toThrow('start: must be an integer, 0 or more')
    expect(await session.documents.text(uuid, { start: 10 })).toBe('')
    const failing = await session.documents.upload(contextId, { fileName: 'c.txt', content: Buffer.from([0xff, 0xfe]) })
    await session.documents.whenProcessed(failing).catch(() => undefined)
    await expect(session.documents.text(failing)).rejects.toThrow('has no text: it has failed')
  })

  it('of a document from a version without white space is refused only where it needs white space', async () => {
    const text = `${'word '.repeat(40)}${' '.repeat(2_000)}${'next '.repeat(40)}end\n`
    const uuid = await uploadText(session, contextId, 'd.txt', text)
    const { id } = await session.documents.get(uuid)
    await memory.storage.transaction(async ({ chunks }) => {
      const rows = await chunks.page(id, { ordinal: 0, limit: 1_000 })
      await chunks.remove(id, { fromOrdinal: 0, limit: 1_000 })
      await chunks.insert(
        id,
        rows.map((row) => ({ ...row, gapBefore: null, gapAfter: null })),
      )
    })
    expect(await session.documents.text(uuid, { start: 0, end: 100 })).toBe(text.slice(0, 100))
    await expect(session.documents.text(uuid)).rejects.toThrow('is not stored: replace the document')
  })

  it('has chunks that are listed in pages', async () => {
    const uuid = await uploadText(session, contextId, 'e.txt', 'some words of a text. '.repeat(300))
    const all = await session.documents.chunks(uuid)
    expect(all.length).toBeGreaterThan(45)
    const listed = []
    let after: number | null | undefined
    while (after !== null) {
      const page = await session.documents.chunkPage(uuid, after === undefined ? {} : { after, limit: 25 })
      for await (const chunk of page.items) listed.push(chunk)
      after = page.nextAfter
    }
    expect(listed).toEqual(all)
    await expect(session.documents.chunkPage(uuid, { limit: 101 })).rejects.toThrow(
      'limit: must be an integer from 1 to 100',
    )
  })
})
