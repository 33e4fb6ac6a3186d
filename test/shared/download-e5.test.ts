// cspell:ignore urlaub Elternzeit dauert achtzehn Wochen bleiben Mütter Geburt Hause
import { existsSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { downloadModel, openLocalEngine } from '../../adapters/local/index.js'
import { type HubServer, startHubServer } from '../servers/hub-server.js'
import { NEW_CONTEXT, uploadText } from '../src/engine/memory-engine.js'
import { temporaryFolder } from '../temporary-folder.js'
import { dataFolder } from './shared-documents.js'

/** The multilingual model of the shared data, which has no prefixes in its files. */
const e5 = dataFolder === undefined ? undefined : join(dataFolder, '../models/multilingual-e5-small')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let hub: HubServer
beforeEach(async () => {
  folder = await temporaryFolder()
  hub = await startHubServer()
})
afterEach(async () => {
  await hub.close()
  await folder.remove()
})

describe.runIf(e5 !== undefined && existsSync(e5))('multilingual-e5-small', () => {
  it('is downloaded by its name, and finds German and Korean documents', async () => {
    const published = join(folder.path, 'published')
    await cp(e5 ?? '', published, { recursive: true })
    await rm(join(published, 'profile.json'))
    await hub.publish('Xenova/multilingual-e5-small', published)
    const dataDir = join(folder.path, 'data')
    hub.fail({ path: /\.onnx$/, times: 2, cutAfter: 30_000_000 })
    const model = await downloadModel({ dataDir, name: 'multilingual-e5-small', endpoint: hub.url })
    expect(model).toMatchObject({
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      dimensions: 384,
      windowTokens: 512,
    })
    expect(model.similarity?.languages).toEqual(expect.arrayContaining(['de', 'ko']))

    const engine = await openLocalEngine({ dataDir })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create({
      ...NEW_CONTEXT,
      settings: { embeddingModel: 'multilingual-e5-small', searchMode: 'semantic', topN: 1 },
    })
    await uploadText(session, id, 'urlaub.txt', 'Die Elternzeit dauert achtzehn Wochen.')
    await uploadText(session, id, 'hafen.txt', '겨울에는 항구가 닫혀 있습니다.')
    const documents = await session.documents.list(id)
    for (const [question, expected] of [
      ['Wie lange bleiben Mütter nach der Geburt zu Hause?', 'urlaub.txt'],
      ['배는 언제 들어올 수 없습니까?', 'hafen.txt'],
    ]) {
      const [best] = await session.search(id, question ?? '')
      expect(documents.find((document) => document.id === best?.docId)?.originalName).toBe(expected)
    }
    await engine.close()
  })
})
