import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryTextExtractor } from '../../../adapters/memory/index.js'
import type { Context, Session } from '../../../src/index.js'
import type { ExtractedPiece } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** Each form feed of a text begins a page. */
class PagedTextExtractor extends MemoryTextExtractor {
  override async *extract(...args: Parameters<MemoryTextExtractor['extract']>): AsyncGenerator<ExtractedPiece> {
    let page = 0
    for await (const piece of super.extract(...args)) {
      for (const text of piece.text.split(/(?<=\f)/)) yield { text, marks: [{ at: 0, page: (page += 1) }] }
    }
  }
}

let memory: MemoryEngine
let session: Session
let context: Context

beforeEach(async () => {
  memory = await memoryEngine({ textExtractor: new PagedTextExtractor() })
  session = memory.session
  context = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 40, overlap: 0 } })
})

afterEach(async () => {
  await memory.engine.close()
})

describe('the source of a hit', () => {
  it('says on which pages the chunk is, as the list of chunks does', async () => {
    const page = (words: string): string => `${words} `.repeat(12).trim()
    const text = `${page('apples pears')}\f${page('engine wheel')}\f${page('wood forest')}`
    const uuid = await uploadText(session, context.id, 'a.txt', text)
    const [hit] = await session.search(context.id, 'wood forest', { topN: 1 })
    expect(hit?.source.pages).toEqual({ first: 2, last: 3 })
    for (const { start, end, content, pages, headings } of await session.documents.chunks(uuid)) {
      expect(text.slice(start, end)).toBe(content)
      const pageAt = (offset: number): number => text.slice(0, offset + 1).split('\f').length
      expect(pages).toEqual({ first: pageAt(start), last: pageAt(end - 1) })
      expect(headings).toEqual([])
    }
  })

  it('has the headings above the chunk, in an engine whose extractor marks them', async () => {
    const other = await memoryEngine()
    const { id } = await other.session.contexts.create({
      ...NEW_CONTEXT,
      settings: { chunkSizeTokens: 40, overlap: 0 },
    })
    const filler = 'nothing of interest stands here at all '.repeat(10)
    const text = `# Handbook\n\n${filler}\n\n## Leave\n\n${filler}\n\n### Parents\n\nsixteen weeks of parental leave\n`
    await uploadText(other.session, id, 'a.md', text)
    const [hit] = await other.session.search(id, 'sixteen weeks of parental leave', { topN: 1, mode: 'keyword' })
    expect(hit?.source).toMatchObject({ pages: null, headings: ['Handbook', 'Leave', 'Parents'], metadata: {} })
    expect(text.slice(hit?.source.start, hit?.source.end)).toBe(hit?.content)
    await other.engine.close()
  })
})
