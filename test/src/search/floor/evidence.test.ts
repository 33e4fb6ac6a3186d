import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeviceEmbeddingModel } from '../../../../adapters/device/index.js'
import { openLocalEngine } from '../../../../adapters/local/index.js'
import type { SearchOptions, Session } from '../../../../src/index.js'
import { measureSimilarity } from '../../../../src/search/floor/similarity-scales.js'
import { bundledModel } from '../../../bundled-model.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const TEXTS = [
  'Pump HC-2040-B has a gasket of 71 mm. Replace it every six months.',
  'Valve HC-2040-A has a gasket of 73 mm. Replace it once a year.',
  'New parents stay at home for eighteen weeks with full pay.',
  'The canteen opens at eleven and serves lunch until two.',
  'Badges are renewed each year at the front desk.',
  'Travel costs are paid back within ten days of the receipt.',
]
const NONSENSE = ['blorfin taquezz mornipal', 'asdfjkl qwert zxcvbn', 'glanth vorrisk plunderoo snib', 'xkcdq']

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let engine: Awaited<ReturnType<typeof openLocalEngine>>
let session: Session
let contextId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  engine = await openLocalEngine({ dataDir: folder.path })
  session = engine.as(engine.owner)
  const texts = { name: 'Workshop', description: '', caption: '', toolsJson: '[]' }
  contextId = (await session.contexts.create(texts)).id
  for (const [at, text] of TEXTS.entries()) {
    const content = new TextEncoder().encode(text)
    await session.documents.whenProcessed(await session.documents.upload(contextId, { fileName: `${at}.txt`, content }))
  }
})

afterAll(async () => {
  await engine.close()
  await folder.remove()
})

async function find(prompt: string, options: SearchOptions = {}): Promise<string | undefined> {
  return (await session.search(contextId, prompt, options))[0]?.content
}

describe('a prompt of nonsense', () => {
  it.each(NONSENSE)('gives nothing: %s', async (prompt) => {
    expect(await session.search(contextId, prompt)).toEqual([])
    expect(await session.searchAll([contextId], prompt)).toEqual([])
    const { sources } = await session.prepare(contextId, prompt)
    expect(sources).toEqual([])
    const { evidence, reasons } = await session.explain(contextId, prompt)
    expect(evidence).toBeLessThan(1)
    expect(reasons.map(({ code }) => code)).toContain('no-evidence')
  })

  it.each(NONSENSE)('gives the nearest texts without a floor: %s', async (prompt) => {
    expect(await session.search(contextId, prompt, { minEvidence: 0 })).toHaveLength(5)
    expect(await session.searchAll([contextId], prompt, { minEvidence: 0, topN: 5 })).toHaveLength(5)
  })
})

describe('evidence', () => {
  it.each([1, 5, 100])('does not depend on the number of results that is asked for: %i', async (topN) => {
    expect(await session.search(contextId, 'blorfin taquezz mornipal', { topN })).toEqual([])
    expect((await session.search(contextId, 'mother with a newborn child', { topN }))[0]?.content).toBe(TEXTS[2])
    expect((await session.explain(contextId, 'refund for a train ticket', { topN })).evidence).toBeCloseTo(1)
  })

  it('is asked little of a search with a filter', async () => {
    const documents = [(await session.search(contextId, 'canteen'))[0]?.docId ?? 0]
    const [found] = await session.search(contextId, 'When may I eat?', { filter: { documents } })
    expect(found?.content).toBe(TEXTS[3])
    expect(await session.search(contextId, 'blorfin taquezz mornipal', { filter: { documents } })).toEqual([])
  })

  it('is not measured by the other modes', async () => {
    expect(await session.search(contextId, 'blorfin taquezz', { mode: 'semantic' })).toHaveLength(5)
    expect((await session.explain(contextId, 'blorfin taquezz', { mode: 'semantic' })).evidence).toBeNull()
  })
})

describe('a prompt about another subject', () => {
  it.each(['How do I keep pasta from sticking together?', 'Who won the Champions League final?'])(
    'gives nothing: %s',
    async (prompt) => {
      expect(await session.search(contextId, prompt)).toEqual([])
    },
  )
})

describe('a prompt that the documents answer', () => {
  it.each([
    ['How long is parental leave?', 2],
    ['HC-2040-A', 1],
    ['When can I have lunch?', 3],
    ['mother with a newborn child', 2],
    ['refund for a train ticket', 5],
    ['73', 1],
    ['gasket', 1],
    ['gaskets', 1],
    ['When may I eat?', 3],
    ['cantene', 3],
  ])('finds them: %s', async (prompt, at) => {
    expect(await find(prompt)).toBe(TEXTS[at])
  })

  it('has evidence from 0 to 1, and 1 by its words alone', async () => {
    expect((await session.explain(contextId, 'gasket of 73 mm')).evidence).toBe(1)
    expect((await session.explain(contextId, 'gasket of 73 mm', { mode: 'keyword' })).evidence).toBeNull()
  })

  it('is refused for a minimum that is no share', async () => {
    const search = session.search(contextId, 'gasket', { minEvidence: 1.5 })
    await expect(search).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'minEvidence' })
  })
})

describe('the bundled model', () => {
  it('has the scale in its profile that it has in the sample', async () => {
    const model = await DeviceEmbeddingModel.open(bundledModel, { isReadOnly: true })
    try {
      const { similarity } = model.profile
      const measured = await measureSimilarity(model)
      expect(measured.languages).toEqual(similarity?.languages)
      expect(measured.unrelated).toBeCloseTo(similarity?.unrelated ?? 0, 1)
      expect(measured.related).toBeCloseTo(similarity?.related ?? 0, 1)
    } finally {
      await model.close()
    }
  })
})
