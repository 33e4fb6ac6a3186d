/**
 * How much of the text of real documents is extracted: word recall against reference
 * texts, by type; and how each file ends. Reads the files through the public adapter.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { WorkerTextExtractor } from '../dist/adapters/text-extraction/index.js'
import { writeReport } from './report.js'
import { sharedData } from './shared-data.js'
import { nativeText, wordRecall } from './word-recall.js'

interface Manifest {
  readonly files: readonly { readonly file: string; readonly type: string; readonly tag: string }[]
}

/** References that are known to be wrong. */
const WRONG_REFERENCES =
  /XiaoBiaoSong|issue1905|VFont|FC60_Times|rotated|90ms_rksj|issue6127|arial_unicode_ab|issue9915|TAMReview|GeoTopo|Bug50955|Bug49933|53446|test01|test14|multi-language|Kazakh|Bosnian_Bosanski-Latin2|HZ|Hungarian_Magyar-Unicode/
const REFERENCE_ENDINGS = ['.expected.txt', '.expected.native', '.utf8-twin.txt'] as const

const folder = sharedData()
if (folder === undefined) {
  console.log('left out: the documents are not here (ALCOVE_SHARED names the folder that has them)')
} else {
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest
  const extractor = new WorkerTextExtractor()
  const isQuick = process.argv.includes('--quick')
  const chosen = files.filter(({ type }) => type !== 'other').filter((_, index) => !isQuick || index % 10 === 0)
  const results = new Map<string, { outcomes: Record<string, number>; recalls: number[]; files: number }>()
  for (const { file, type } of chosen) {
    const { text, outcome } = await extract(extractor, folder, file)
    const result = results.get(type) ?? { outcomes: {}, recalls: [], files: 0 }
    results.set(type, result)
    result.files += 1
    result.outcomes[outcome] = (result.outcomes[outcome] ?? 0) + 1
    const reference = WRONG_REFERENCES.test(file) ? undefined : await referenceOf(folder, file)
    const recall = reference === undefined ? undefined : wordRecall(reference, text)
    if (recall !== undefined) result.recalls.push(recall)
  }
  await extractor.close()
  const rows = [...results].map(([type, { files: count, outcomes, recalls }]) => ({
    type,
    files: count,
    ...outcomes,
    references: recalls.length,
    meanRecall: recalls.length === 0 ? null : round(recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length),
    leastRecall: recalls.length === 0 ? null : round(Math.min(...recalls)),
  }))
  console.table(rows)
  if (!isQuick) writeReport('extraction', rows)
}

async function extract(extractor: WorkerTextExtractor, root: string, file: string) {
  const packed = await readFile(join(root, file))
  const bytes = file.endsWith('.gz') ? gunzipSync(packed) : packed
  const fileName = basename(file, '.gz')
  let text = ''
  try {
    await extractor.identify(fileName, bytes.subarray(0, 4_096))
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    }
    for await (const piece of extractor.extract({ fileName, sizeBytes: bytes.length, open })) text += piece.text
    return { text, outcome: 'completed' }
  } catch (error) {
    return { text, outcome: (error as { readonly code?: string }).code ?? String(error) }
  }
}

async function referenceOf(root: string, file: string): Promise<string | undefined> {
  for (const ending of REFERENCE_ENDINGS) {
    const path = join(root, 'expected', file.replace(/^docs\//, '') + ending)
    if (!existsSync(path)) continue
    const text = await readFile(path, 'utf8')
    return ending === '.expected.native' ? nativeText(text) : text
  }
  return undefined
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
