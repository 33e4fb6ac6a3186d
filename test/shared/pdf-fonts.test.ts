import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import type { HeadingMark } from '../../src/ports/index.js'
import { extracted, sourceOf } from '../extracted.js'
import { dataFolder, readShared, sharedDocuments } from './shared-documents.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

describe.skipIf(dataFolder === undefined)('fonts of real PDFs', async () => {
  const documents = await sharedDocuments()

  async function read(name: string): Promise<{ text: string; headings: readonly string[] }> {
    const document = documents.find(({ file }) => file === `docs/pdf/${name}`)
    if (document === undefined) throw new Error(`${name} is not in the shared data`)
    const { fileName, bytes } = await readShared(document)
    const { pieces } = await extracted(extractor, sourceOf(fileName, bytes))
    const marks = pieces.flatMap((piece) => piece.marks ?? [])
    const headings = marks.filter((mark): mark is HeadingMark => 'heading' in mark)
    return { text: pieces.map((piece) => piece.text).join(''), headings: headings.map(({ heading }) => heading) }
  }

  it('give the text of a font without a Unicode map, whose encoding is named', async () => {
    const { text } = await read('XiaoBiaoSong.pdf')
    // The page is a table of contents in GBK: so the codes of its strings say.
    expect(text).toContain('关于红军作战的原则')
    expect(text).toContain('（一九三七年八月一日）')
  })
})
