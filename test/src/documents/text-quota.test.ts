import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryTextExtractor } from '../../../adapters/memory/index.js'
import type { Engine, Session } from '../../../src/index.js'
import type { ExtractedPiece, ExtractionSource } from '../../../src/ports/index.js'
import { rowsOf, xlsx } from '../../adapters/text-extraction/office-files.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

const FREE = 1_048_576
const LINE = 'Parental leave lasts for many weeks. '

/** Reads as many characters as the bytes of a file say, such as `3000000`. */
class InflatingExtractor extends MemoryTextExtractor {
  override async *extract(source: ExtractionSource): AsyncGenerator<ExtractedPiece> {
    let size = ''
    for await (const bytes of source.open()) size += Buffer.from(bytes).toString()
    for (let left = Number(size); left > 0; left -= 100_000) {
      yield { text: LINE.repeat(3_000).slice(0, Math.min(left, 100_000)) }
    }
  }
}

let memory: MemoryEngine
let session: Session

beforeEach(async () => {
  memory = await memoryEngine({ textExtractor: new InflatingExtractor() })
  session = memory.session
})

afterEach(async () => {
  await memory.engine.close()
})

async function newContext(maxSizeBytes: number): Promise<number> {
  const settings = { maxSizeBytes, chunkSizeTokens: 8_192, overlap: 0 }
  return (await session.contexts.create({ ...NEW_CONTEXT, settings })).id
}

async function upload(contextId: number, name: string, characters: number): Promise<string> {
  return await session.documents.upload(contextId, { fileName: `${name}.txt`, content: String(characters) })
}

/** @returns null, or the code of the failure */
async function outcomeOf(uuid: string): Promise<string | null> {
  return await session.documents.whenProcessed(uuid).then(
    () => null,
    (error: unknown) => (error as { readonly code: string }).code,
  )
}

async function process(contextId: number, name: string, characters: number): Promise<string | null> {
  return await outcomeOf(await upload(contextId, name, characters))
}

const usedBytes = async (): Promise<number> => (await session.usage()).documentBytes

describe('the quota of a context', () => {
  it('counts the text beyond a megabyte, or beyond 20 characters for each byte of a larger file', async () => {
    const contextId = await newContext(4_000_000)
    expect(await process(contextId, 'free', FREE)).toBeNull()
    expect(await usedBytes()).toBe(7)
    expect(await process(contextId, 'large', FREE + 1_500_000)).toBeNull()
    expect(await usedBytes()).toBe(7 + 7 + 1_500_000)
    const blanks = ' '.repeat(60_000)
    const content = `${blanks}1300000`
    const uuid = await session.documents.upload(contextId, { fileName: 'larger.txt', content })
    expect(await outcomeOf(uuid)).toBe(null)
    expect(await usedBytes()).toBe(7 + 7 + 1_500_000 + content.length + 1_300_000 - 20 * content.length)
  })

  it('refuses a text that does not fit, names the limit, and keeps nothing of the text', async () => {
    const contextId = await newContext(2_000_000)
    const uuid = await upload(contextId, 'bomb', 9_000_000)
    expect(await outcomeOf(uuid)).toBe('ERR_QUOTA_EXCEEDED')
    const document = await session.documents.get(uuid)
    expect(document.error).toMatch(
      /The text does not fit in the quota: this file of 7 bytes has \d+ characters or more\./,
    )
    expect(document.error).toMatch(
      /the 2000000 bytes of context 1 \(settings\.maxSizeBytes\).* \(ERR_QUOTA_EXCEEDED\)$/,
    )
    expect(await session.search(contextId, 'parental leave')).toEqual([])
    const found = await memory.storage.read(async ({ documents, chunks }) => {
      const record = await documents.getByUuid(uuid)
      return await chunks.count([record?.id ?? 0])
    })
    expect(found.size).toBe(0)
    expect(await usedBytes()).toBe(7)
    await expect(session.documents.text(uuid)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_FAILED' })
    expect(await process(contextId, 'next', FREE + 1_900_000)).toBeNull()
  })

  it('is held for one of two texts that do not fit together, and given back by a deletion', async () => {
    const contextId = await newContext(2_000_000)
    const uuids = await Promise.all([upload(contextId, 'one', 2_500_000), upload(contextId, 'two', 2_500_001)])
    const outcomes = await Promise.all(uuids.map(outcomeOf))
    expect([...outcomes].sort()).toEqual(['ERR_QUOTA_EXCEEDED', null].sort())
    const [completed = '', failed = ''] = outcomes[0] === null ? uuids : uuids.toReversed()
    await session.documents.delete(completed)
    expect(await usedBytes()).toBe(7)
    await session.documents.retry(failed)
    expect(await outcomeOf(failed)).toBeNull()
  })

  it('lets a replacement use the room of the text that it replaces, and no more', async () => {
    const contextId = await newContext(2_000_000)
    const uuid = await upload(contextId, 'book', FREE + 1_800_000)
    expect(await outcomeOf(uuid)).toBeNull()
    const replace = async (characters: number): Promise<string | null> => {
      const { id } = (await session.documents.list(contextId))[0] ?? { id: 0 }
      const version = { fileName: 'book.txt', content: String(characters) }
      return await outcomeOf(await session.documents.replace({ contextId, id }, version))
    }
    expect(await replace(FREE + 1_900_000)).toBeNull()
    expect(await usedBytes()).toBe(7 + 1_900_000)
    expect(await replace(FREE + 2_100_000)).toBe('ERR_QUOTA_EXCEEDED')
    expect(await usedBytes()).toBe(7 + 1_900_000)
    expect(await replace(1_000)).toBeNull()
    expect(await usedBytes()).toBe(4)
  })

  it('counts a text once during a re-index and after it', async () => {
    const contextId = await newContext(2_000_000)
    expect(await process(contextId, 'book', FREE + 1_500_000)).toBeNull()
    await session.contexts.update(contextId, { settings: { chunkSizeTokens: 4_000 } })
    await session.contexts.whenReindexed(contextId)
    expect(await usedBytes()).toBe(7 + 1_500_000)
  })

  it('does not take an upload for which the texts leave no room', async () => {
    const contextId = await newContext(1_000_000)
    expect(await process(contextId, 'book', FREE + 999_000)).toBeNull()
    await expect(
      session.documents.upload(contextId, { fileName: 'late.txt', content: 'x'.repeat(2_000) }),
    ).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
  })
})

describe('a workbook of few bytes that repeats a long text', () => {
  it('fails with the limit that its text exceeds, on SQLite', async () => {
    const folder = await temporaryFolder()
    const engine: Engine = await openLocalEngine({
      dataDir: folder.path,
      embeddingModels: [new MemoryEmbeddingModel()],
    })
    try {
      const owner = engine.as(engine.owner)
      const settings = { maxSizeBytes: 1_000_000 }
      const { id } = await owner.contexts.create({ ...NEW_CONTEXT, settings })
      const cell = '<c t="s"><v>0</v></c>'
      const rows = `<row>${cell}</row>`.repeat(140)
      const content = xlsx([{ name: 'Sheet', rows }], { strings: [LINE.repeat(800)] })
      expect(content.length).toBeLessThan(3_000)
      const uuid = await owner.documents.upload(id, { fileName: 'small.xlsx', content })
      await expect(owner.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_QUOTA_EXCEEDED' })
      expect(await owner.search(id, 'parental leave')).toEqual([])
      expect((await owner.usage()).documentBytes).toBe(content.length)
      const table = xlsx([
        {
          name: 'Sheet',
          rows: rowsOf([
            ['City', 'Country'],
            ['Oslo', 'Norway'],
          ]),
        },
      ])
      await owner.documents.whenProcessed(await owner.documents.upload(id, { fileName: 'table.xlsx', content: table }))
      expect((await owner.usage()).documentBytes).toBe(content.length + table.length)
    } finally {
      await engine.close()
      await folder.remove()
    }
  })
})
