import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { wordRecall } from '../../benchmarks/extraction/word-recall.js'
import { pdfReferences } from '../../benchmarks/references/pdf-reference.js'
import { isWrongReference } from '../../benchmarks/references/wrong-references.js'
import { extracted, sourceOf } from '../extracted.js'
import { dataFolder, readShared, type SharedDocument, sharedDocuments } from './shared-documents.js'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function textOf(document: SharedDocument): Promise<string | undefined> {
  const { fileName, bytes } = await readShared(document)
  try {
    return (await extracted(extractor, sourceOf(fileName, bytes))).text
  } catch {
    return undefined
  }
}

describe.skipIf(dataFolder === undefined)('the words of real PDFs', async () => {
  const folder = dataFolder ?? ''
  const documents = (await sharedDocuments()).filter(
    ({ type, file }) => type === 'pdf' && !isWrongReference(type, file),
  )
  const references = dataFolder === undefined ? new Map<string, string>() : pdfReferences(folder)

  /** A refused file counts as no word read, unless its tag says that it cannot be read. */
  async function recalls(referenceOf: (file: string) => string | undefined): Promise<number[]> {
    const found: number[] = []
    for (const document of documents) {
      const reference = referenceOf(document.file)
      if (reference === undefined) continue
      const text = await textOf(document)
      const recall = wordRecall(reference, text ?? '')
      if (recall !== undefined && (text !== undefined || document.tag !== 'encrypted')) found.push(recall)
    }
    return found
  }

  function expectRecall(found: readonly number[], least: { readonly mean: number; readonly share: number }): void {
    expect(found.reduce((sum, recall) => sum + recall, 0) / found.length).toBeGreaterThanOrEqual(least.mean)
    expect(found.filter((recall) => recall >= 0.98).length / found.length).toBeGreaterThanOrEqual(least.share)
  }

  it('include those of the expected texts', async () => {
    const found = await recalls((file) => {
      const path = join(folder, 'expected', `${file.replace(/^docs\//, '')}.expected.txt`)
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    })
    expect(found.length).toBeGreaterThan(10)
    // One of them has two words with one glyph for two letters, which PDF.js reverses.
    expectRecall(found, { mean: 0.97, share: 0.92 })
  })

  it('include those that pdftotext finds', async () => {
    const found = await recalls((file) => references.get(file))
    expect(found.length).toBeGreaterThan(50)
    expectRecall(found, { mean: 0.985, share: 0.92 })
  })
})
