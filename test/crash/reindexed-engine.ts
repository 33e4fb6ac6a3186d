import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Engine } from '../../dist/src/index.js'
import { ChangingDocuments, textOfName } from './changing-documents.js'
import { DOCUMENTS, MODES, numberOf, readPlan, resultOf } from './reindexed-context.js'

const POLL_MS = 200

/**
 * After the last kill: the re-indexes end, each document is there with the chunks of one generation, and nothing of a
 * former generation is left.
 */
export async function expectReindexed(engine: Engine, folder: string): Promise<void> {
  const session = engine.as(engine.owner)
  const { contextId, changingId, learned } = (await readPlan(folder)) ?? expect.fail('the first life had no end')
  const changing = new ChangingDocuments(session, changingId, folder)
  expect(await changing.problem()).toBeUndefined()
  const settings = await session.contexts.whenReindexed(contextId)
  for (const mode of MODES) expect(await resultOf(session, contextId, mode)).toBe(learned[numberOf(settings)]?.[mode])
  await session.contexts.whenReindexed(changingId)
  for (const { uuid, replacement } of await session.documents.list(changingId))
    await session.documents.whenProcessed(replacement?.uuid ?? uuid)
  await session.contexts.whenReindexed(changingId)

  const names = await changing.names()
  for (const mode of MODES) {
    const hits = await session.search(changingId, 'the swift of the town', { mode, topN: 100, collapse: false })
    expect([...new Set(hits.map(({ source }) => source.originalName))].sort()).toEqual(names)
    // A small chunk is a part of the text.
    for (const { source, content } of hits) expect(textOfName(source.originalName)).toContain(content)
  }
  expect((await session.documents.list(contextId)).map(({ originalName }) => originalName).sort()).toEqual(
    Array.from({ length: DOCUMENTS }, (_, number) => `bird-${number}.txt`).sort(),
  )
  await engine.whenCleared()
  let { problems, checked } = await engine.administration.verify()
  // A job removes the former generation after the switch.
  const until = performance.now() + 30_000
  while ((checked.collections > 2 || checked.wordCollections > 2) && performance.now() < until) {
    await setTimeout(POLL_MS)
    ;({ problems, checked } = await engine.administration.verify())
  }
  // Processes that share a database leave the files of interrupted uploads to an hourly sweep.
  if (problems.length > 0) {
    expect(problems.filter(({ code }) => code !== 'file-without-document')).toEqual([])
    await engine.administration.verify({ repair: true })
    ;({ problems, checked } = await engine.administration.verify())
  }
  expect(problems).toEqual([])
  expect(checked).toMatchObject({
    documents: DOCUMENTS + names.length,
    files: DOCUMENTS + names.length,
    windows: checked.vectors,
    chunks: checked.indexedChunks,
    collections: 2,
    wordCollections: 2,
  })
  const ofContext = (learned[numberOf(settings)]?.semantic ?? '').split('\n').length
  const ofChanging = (await session.documents.list(changingId)).reduce((sum, { chunks }) => sum + chunks, 0)
  expect(checked.chunks).toBe(ofContext + ofChanging)
}
