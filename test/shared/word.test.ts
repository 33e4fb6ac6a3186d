import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { nativeText, wordRecall } from '../../benchmarks/extraction/word-recall.js'
import { docReferences } from '../../benchmarks/references/doc-reference.js'
import { docxReference } from '../../benchmarks/references/docx-reference.js'
import { extracted, sourceOf } from '../extracted.js'
import { dataFolder, readShared, type SharedDocument, sharedDocuments } from './shared-documents.js'

/** Documents that no program can read, or should read. */
const UNREADABLE = new Set(['corrupt', 'fuzzed', 'encrypted', 'empty', 'old-word', 'malicious-or-odd'])
/** The expected text comes from a program that writes `[DIAGRAM]` for a diagram. */
const WRONG_EXPECTATION = 'diagram.docx'

const extractor = new WorkerTextExtractor()
afterAll(async () => {
  await extractor.close()
})

async function textOf(document: SharedDocument): Promise<string> {
  const { fileName, bytes } = await readShared(document)
  return (await extracted(extractor, sourceOf(fileName, bytes))).text
}

function mean(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined)
  expect(known.length).toBeGreaterThan(0)
  return known.reduce((sum, value) => sum + value, 0) / known.length
}

describe.skipIf(dataFolder === undefined)('the reader of real Word documents', async () => {
  const documents = await sharedDocuments()
  const ofType = (type: string): SharedDocument[] =>
    documents.filter((document) => document.type === type && !UNREADABLE.has(document.tag))
  const folder = dataFolder ?? ''

  it('keeps 99.5% of the words in the body of a .docx and 98.5% of all parts', async () => {
    const bodies: (number | undefined)[] = []
    const all: (number | undefined)[] = []
    for (const document of ofType('docx')) {
      const { bytes } = await readShared(document)
      const reference = docxReference(bytes)
      if (reference.allParts.trim() === '') continue
      const text = await textOf(document)
      bodies.push(wordRecall(reference.body, text))
      all.push(wordRecall(reference.allParts, text))
    }
    expect(mean(bodies)).toBeGreaterThanOrEqual(0.995)
    expect(mean(all)).toBeGreaterThanOrEqual(0.985)
  })

  it('keeps 98% of the words of a .docx that another program finds', async () => {
    const recalls: (number | undefined)[] = []
    for (const document of ofType('docx')) {
      const path = join(folder, 'expected', `${document.file.replace(/^docs\//, '')}.expected.native`)
      if (!existsSync(path) || path.includes(WRONG_EXPECTATION)) continue
      recalls.push(wordRecall(nativeText(readFileSync(path, 'utf8')), await textOf(document)))
    }
    expect(mean(recalls)).toBeGreaterThanOrEqual(0.98)
  })

  it('keeps 98% of the words of a .doc that antiword finds, or reports that it is too old', async () => {
    const references = docReferences(folder)
    const refused: string[] = []
    const recalls: (number | undefined)[] = []
    for (const document of ofType('doc')) {
      const reference = references.get(document.file)
      if (reference === undefined) continue
      try {
        recalls.push(wordRecall(reference, await textOf(document)))
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_UNSUPPORTED_FORMAT' })
        refused.push(document.file)
      }
    }
    expect(mean(recalls)).toBeGreaterThanOrEqual(0.98)
    // Five of Word 6 or 95, one WordML, one WordPerfect.
    expect(refused.length).toBeLessThanOrEqual(7)
  })

  it('keeps 99.5% of the words of a .doc that the same documents have as .docx', async () => {
    const recalls: (number | undefined)[] = []
    for (const document of ofType('doc').filter(({ tag }) => tag === 'doc-docx-twin')) {
      const file = document.file.replace('docs/doc/', 'docs/docx/').replace(/\.doc$/, '.docx')
      const twin = documents.find((other) => other.file === file)
      if (twin === undefined) continue
      recalls.push(wordRecall(docxReference((await readShared(twin)).bytes).allParts, await textOf(document)))
    }
    expect(mean(recalls)).toBeGreaterThanOrEqual(0.995)
  })

  it.each(documents.filter(({ type, tag }) => /^docx?$/.test(type) && tag === 'encrypted'))(
    'keeps no word of $file, because it has a password',
    async (document) => {
      await expect(textOf(document)).rejects.toMatchObject({ code: 'ERR_ENCRYPTED' })
    },
  )
})
