import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Context, Session } from '../../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const TEXT = 'Clean the filter each week. Do not immerse the motor in water.'

let memory: MemoryEngine
let session: Session
let context: Context

beforeEach(async () => {
  memory = await memoryEngine()
  session = memory.session
  context = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 40, overlap: 0 } })
})

afterEach(async () => {
  await memory.engine.close()
})

/** The names of the documents that words find, the best first. */
async function namesFor(prompt: string): Promise<string[]> {
  const hits = await session.search(context.id, prompt, { mode: 'keyword', topN: 20 })
  return [...new Set(hits.map(({ source }) => source.displayName))]
}

describe('the name of a document', () => {
  it('finds it by each of its words, without its ending', async () => {
    await uploadText(session, context.id, 'osprey-5_manualDE.txt', TEXT)
    await uploadText(session, context.id, 'Wren Pro.txt', TEXT)
    for (const prompt of ['osprey', 'manual', 'osprey-5', 'How do I clean the Osprey?'])
      expect((await namesFor(prompt))[0]).toBe('osprey-5_manualDE.txt')
    expect(await namesFor('wren')).toEqual(['Wren Pro.txt'])
    expect(await namesFor('txt')).toEqual([])
  })

  it('puts the named document before one that has the word once, and leaves the match to the text', async () => {
    await uploadText(
      session,
      context.id,
      'a.txt',
      'Heron: clean the filter each week. Do not immerse the motor in water.',
    )
    await uploadText(session, context.id, 'Heron.txt', TEXT)
    for (const bird of ['Wren', 'Owl', 'Swift', 'Robin']) await uploadText(session, context.id, `${bird}.txt`, TEXT)
    const [hit] = await session.search(context.id, 'clean the heron', { mode: 'keyword' })
    expect(hit?.source.displayName).toBe('Heron.txt')
    expect(hit?.content.slice(hit.match.start, hit.match.end)).toContain('Clean')
  })

  it('is named in the explanation as the reason of a hit', async () => {
    await uploadText(session, context.id, 'Osprey manual.txt', TEXT)
    await uploadText(session, context.id, 'Wren.txt', `The osprey. ${TEXT}`)
    const { hits } = await session.explain(context.id, 'osprey manual', { mode: 'keyword' })
    expect(hits.map(({ source, words }) => [source.displayName, words.inNames])).toEqual([
      ['Osprey manual.txt', ['osprey', 'manual']],
      ['Wren.txt', []],
    ])
  })

  it('finds a renamed document by its new name at once, and no longer by the old one', async () => {
    const id = await uploadText(session, context.id, 'heron.txt', TEXT)
    await session.documents.update(id, { displayName: 'Kingfisher.txt' })
    expect(await namesFor('kingfisher')).toEqual(['Kingfisher.txt'])
    expect(await namesFor('heron')).toEqual([])
    expect(await namesFor('filter')).toEqual(['Kingfisher.txt'])
  })

  it('finds a renamed document of many chunks by both names until a job is done, and never loses it', async () => {
    const text = Array.from({ length: 200 }, (_, at) => `Paragraph ${at} is about the filter of a machine. ${TEXT}`)
    const id = await uploadText(session, context.id, 'heron.txt', text.join('\n\n'))
    await session.documents.update(id, { displayName: 'Kingfisher.txt' })
    await vi.waitFor(async () => {
      expect(await namesFor('filter')).toEqual(['Kingfisher.txt'])
      expect(await namesFor('kingfisher')).toEqual(['Kingfisher.txt'])
      expect(await namesFor('heron')).toEqual([])
    })
  })

  it('finds the same bytes under another name by the new one', async () => {
    const id = await uploadText(session, context.id, 'heron.txt', TEXT)
    await session.documents.replace(id, { fileName: 'wren.txt', content: TEXT })
    await vi.waitFor(async () => {
      expect(await namesFor('wren')).toEqual(['wren.txt'])
      expect(await namesFor('heron')).toEqual([])
    })
  })

  it('finds a document that was renamed while it was processed, and one that a re-index has made anew', async () => {
    const id = await session.documents.upload(context.id, { fileName: 'heron.txt', content: TEXT })
    await session.documents.update(id, { displayName: 'Wren.txt' })
    await session.documents.whenProcessed(id)
    await vi.waitFor(async () => expect(await namesFor('wren')).toEqual(['Wren.txt']), { timeout: 5_000 })
    await session.contexts.update(context.id, { settings: { chunkSizeTokens: 64, overlap: 0 } })
    await session.documents.update(id, { displayName: 'Swift.txt' })
    await vi.waitFor(
      async () => {
        expect((await session.contexts.settings(context.id)).chunkSizeTokens).toBe(64)
        expect(await namesFor('swift')).toEqual(['Swift.txt'])
        expect(await namesFor('wren')).toEqual([])
      },
      { timeout: 5_000 },
    )
  })
})

describe('the headings above a chunk', () => {
  it('find it, also where their words are in no part of its text', async () => {
    const filler = 'Visitors sign the book at the desk and wait for their host in the lobby. '.repeat(12)
    const office = (city: string): string => `# ${city} office\n\n${filler}\n\nThe cellar has a code.\n\n`
    const offices = ['Hamburg', 'Lisbon', 'Oslo'].map(office)
    await uploadText(session, context.id, 'offices.md', `${offices.join('')}# Appendix\n\n${filler}`)
    const hits = await session.search(context.id, 'code of the cellar in Lisbon', { mode: 'keyword' })
    expect(hits[0]?.source.headings).toEqual(['Lisbon office'])
    expect(hits[0]?.content).toContain('The cellar has a code.')
    expect(hits[0]?.content).not.toContain('# Lisbon')
  })
})
