// cspell:disable
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DeviceEmbeddingModel } from '../../adapters/device/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { languageOf } from '../../adapters/text-extraction/language/language-of.js'
import { TextSample } from '../../adapters/text-extraction/language/text-sample.js'
import { knowsLanguage } from '../../src/documents/languages/known-languages.js'
import type { EmbeddingModel } from '../../src/ports/index.js'
import { bundledModel } from '../bundled-model.js'
import { NEW_CONTEXT, uploadText } from '../src/engine/memory-engine.js'
import { temporaryFolder } from '../temporary-folder.js'
import { dataFolder } from './shared-documents.js'

/** The languages of the sample that the bundled model does not know. */
const UNKNOWN = ['de', 'fr', 'es', 'fi', 'ru', 'ar', 'hi', 'ko', 'zh', 'ja']

/** @returns the languages of the documents of a set, without those that are not sure */
function languagesOf(set: string): { readonly found: readonly string[]; readonly documents: number } {
  const text = gunzipSync(readFileSync(join(dataFolder ?? '', 'retrieval', set, 'corpus.jsonl.gz'))).toString('utf8')
  const documents = text.trim().split('\n')
  const found = documents.flatMap((line) => {
    const document = JSON.parse(line) as { readonly title?: string; readonly text: string }
    const sample = new TextSample()
    sample.add(`${document.title ?? ''}\n${document.text}`)
    return languageOf(sample.parts) ?? []
  })
  return { found, documents: documents.length }
}

/** @returns the share of the documents of a set whose language is one of these */
function shareOf(set: string, languages: readonly string[]): number {
  const { found, documents } = languagesOf(set)
  return found.filter((language) => languages.includes(language)).length / documents
}

/** @returns the share of the documents of a set whose receipts have a warning with this model */
async function warnedShareOf(set: string, model: EmbeddingModel): Promise<number> {
  const { found, documents } = languagesOf(set)
  const measured = { model, languages: model.profile.similarity?.languages ?? [] }
  const unknown = new Set<string>()
  for (const language of new Set(found)) {
    if ((await knowsLanguage(measured, language)) === false) unknown.add(language)
  }
  return found.filter((language) => unknown.has(language)).length / documents
}

/** Sets in English, of code and of tables. */
const KNOWN = [
  'cisi',
  'cosqa-code',
  'covidqa-papers',
  'cranfield',
  'fetaqa-csv',
  'locomo-chat',
  'qmsum-meetings',
  'xquad-en',
]

describe.runIf(dataFolder !== undefined)('the languages of public documents', () => {
  it.each(KNOWN)('are never unknown to the bundled model in %s', (set) => {
    expect(shareOf(set, UNKNOWN)).toBe(0)
  })

  it.each([
    ['tydi-fi', 'fi', 0.85],
    ['tydi-ru', 'ru', 0.75],
    ['tydi-ar', 'ar', 0.85],
    ['tydi-ko', 'ko', 0.95],
    ['xquad-es', 'es', 0.95],
    ['xquad-zh', 'zh', 0.95],
  ])('are detected in %s', (set, language, least) => {
    expect(shareOf(set, [language])).toBeGreaterThan(least)
    expect(
      shareOf(
        set,
        UNKNOWN.filter((other) => other !== language),
      ),
    ).toBe(0)
  })
})

describe.runIf(dataFolder !== undefined)('the warnings with the bundled model', () => {
  let model: DeviceEmbeddingModel
  beforeAll(async () => {
    model = await DeviceEmbeddingModel.open(bundledModel)
  })
  afterAll(async () => {
    await model.close()
  })

  it.each([
    ['squad-it', 0.94],
    ['faquad-pt', 0.92],
    ['tquad-tr', 0.82],
    ['tydi-ru', 0.75],
  ])('are in the documents of %s', async (set, least) => {
    expect(await warnedShareOf(set, model)).toBeGreaterThan(least)
  })

  it.each(KNOWN)('are in none of %s', async (set) => {
    expect(await warnedShareOf(set, model)).toBe(0)
  })
})

const e5 = dataFolder === undefined ? undefined : join(dataFolder, '../models/multilingual-e5-small')

describe.runIf(e5 !== undefined && existsSync(e5))('German and Korean documents', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  beforeEach(async () => {
    folder = await temporaryFolder()
  })
  afterEach(async () => {
    await folder.remove()
  })

  it('have a warning with the bundled model, and none after the change to multilingual-e5-small', async () => {
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'data'), modelDirs: [bundledModel, e5 ?? ''] })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'all-MiniLM-L6-v2' } })
    const german =
      'Mütter und Väter bleiben achtzehn Wochen bei vollem Gehalt zu Hause bei ihrem Neugeborenen. Danach kehren sie an ihren Arbeitsplatz zurück.'
    const korean =
      '주말에는 열람실이 오후 네 시까지 열려 있습니다. 사용하지 않은 승차권은 출발 하루 전까지 수수료를 빼고 돌려받습니다.'
    const uuids = [
      await uploadText(session, id, 'leave.txt', german),
      await uploadText(session, id, 'room.txt', korean),
      await uploadText(
        session,
        id,
        'harbour.txt',
        'The harbour is closed in winter, and the pilots stay at home until spring comes back to the coast.',
      ),
    ]
    const warnings = async (): Promise<(string | undefined)[]> => {
      const documents = await Promise.all(uuids.map((uuid) => session.documents.get(uuid)))
      return documents.map(({ receipt }) => receipt?.warningReasons[0]?.code)
    }
    const code = 'language-unknown-to-model'
    expect(await warnings()).toEqual([code, code, undefined])
    expect((await session.contexts.languages(id)).notice).toBe(
      'German (1 document), Korean (1 document): found by words alone',
    )
    await session.contexts.update(id, { settings: { embeddingModel: 'multilingual-e5-small', topN: 1 } })
    await session.contexts.whenReindexed(id)
    expect(await warnings()).toEqual([undefined, undefined, undefined])
    const [best] = await session.search(id, 'Wie lange dürfen Eltern nach der Geburt daheim sein?')
    expect(best?.source.uuid).toBe(uuids[0])
    expect(await session.contexts.languages(id)).toMatchObject({ notice: null, advice: null })
    await engine.close()
  })
})
