import { afterAll, describe, expect, it } from 'vitest'
import { openTokenizer } from '../../adapters/device/index.js'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { pdfReferences } from '../../benchmarks/references/pdf-reference.js'
import { isWrongReference } from '../../benchmarks/references/wrong-references.js'
import { chunkStream, emptySummary, type PlacedChunk } from '../../src/documents/pipeline/chunks.js'
import { bundledModel } from '../bundled-model.js'
import { sourceOf } from '../extracted.js'
import { dataFolder, readShared, type SharedDocument, sharedDocuments } from './shared-documents.js'

const tokenizer = await openTokenizer(bundledModel)
const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

/** Chunks of this size have several pages, parts of a page, and pages of their own. */
const CHUNK_SIZES = [250, 1_000]
/** The readers differ in some words of most pages. A chunk that is elsewhere has hardly any word in common. */
const LEAST_SHARE = 0.8

async function chunksOf(document: SharedDocument, chunkSizeTokens: number): Promise<PlacedChunk[]> {
  const { fileName, bytes } = await readShared(document)
  const pieces = extractor.extract(sourceOf(fileName, bytes))
  const chunks: PlacedChunk[] = []
  const sizes = { chunkSizeTokens, overlap: 0.2, windowTokens: 254 }
  for await (const chunk of chunkStream(pieces, tokenizer, sizes, emptySummary())) chunks.push(chunk)
  return chunks
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** The share of a chunk's words that the pages have, from 0 to 1. */
function shareOn(chunk: ReadonlyMap<string, number>, pages: readonly ReadonlyMap<string, number>[]): number {
  let [all, found] = [0, 0]
  for (const [word, count] of chunk) {
    all += count
    found += Math.min(
      count,
      pages.reduce((sum, page) => sum + (page.get(word) ?? 0), 0),
    )
  }
  return all === 0 ? 1 : found / all
}

/**
 * True if a chunk is on the pages that it names: these have its words, their neighbours have not more of them, and each
 * end is needed.
 */
function isRight(chunk: PlacedChunk, pages: readonly ReadonlyMap<string, number>[]): boolean {
  const [first, last] = [(chunk.pageFirst ?? 0) - 1, (chunk.pageLast ?? 0) - 1]
  if (first < 0 || last < first || last >= pages.length) return false
  const counts = countsOf(chunk.text)
  const share = (from: number, to: number): number => shareOn(counts, pages.slice(Math.max(0, from), to + 1))
  const own = share(first, last)
  const isElsewhere = share(first - 1, last - 1) > own || share(first + 1, last + 1) > own
  return own >= LEAST_SHARE && !isElsewhere
}

describe.skipIf(dataFolder === undefined)('the pages of chunks of real PDFs', async () => {
  const references = dataFolder === undefined ? new Map<string, string>() : pdfReferences(dataFolder)
  const documents = (await sharedDocuments()).filter(
    ({ type, file }) => type === 'pdf' && references.has(file) && !isWrongReference(type, file),
  )

  it.each(CHUNK_SIZES)('are those on which pdftotext finds their words, for chunks of %i tokens', async (size) => {
    const wrong: string[] = []
    let [chunkCount, severalPages, pdfCount] = [0, 0, 0]
    for (const document of documents) {
      // Poppler ends each page with a form feed.
      const pages = (references.get(document.file) ?? '').split('\f').map(countsOf)
      const chunks = await chunksOf(document, size).catch(() => [])
      pdfCount += chunks.length === 0 ? 0 : 1
      for (const chunk of chunks) {
        chunkCount += 1
        severalPages += chunk.pageLast === chunk.pageFirst ? 0 : 1
        if (!isRight(chunk, pages))
          wrong.push(`${document.file} ${chunk.ordinal}: ${chunk.pageFirst}-${chunk.pageLast}`)
      }
    }
    const right = 1 - wrong.length / chunkCount
    console.info(
      `pages right for ${right.toFixed(4)} of ${chunkCount} chunks of ${size} tokens (${severalPages} on several pages) from ${pdfCount} PDFs`,
      wrong.slice(0, 40),
    )
    expect(pdfCount).toBeGreaterThan(50)
    expect(right).toBeGreaterThanOrEqual(0.99)
  })
})
