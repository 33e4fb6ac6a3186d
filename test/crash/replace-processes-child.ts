/**
 * An engine on a database that others share, which searches the only document of the first context all the time:
 * `replace-processes-child.ts DATABASE_URL DATA_DIR writer|searcher`. A writer also replaces the document by one version
 * after the other. Each engine processes documents. A problem is a message, and ends the process.
 */
import { setTimeout } from 'node:timers/promises'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Document } from '../../dist/src/index.js'
import { sized } from '../full-form.js'
import { nameOf, textOf, versionIn, versionOf } from './replaced-document.js'

const [, , databaseUrl = '', dataDir = '', role = ''] = process.argv
const MODES = ['hybrid', 'semantic', 'keyword'] as const
const LOOPS = 2
/** In the short form most searches meet a replacement that waits for the lease of a killed process. */
const PAUSE_MS = sized(100, 0)

const engine = await openLocalEngine({ dataDir, databaseUrl, embeddingModels: [new MemoryEmbeddingModel()] })
const session = engine.as(engine.owner)
const [context] = await session.contexts.list()
if (context === undefined) throw new Error('the database has no context')
const [{ id }] = (await session.documents.list(context.id)) as [Document]
const reference = { contextId: context.id, id }

/** A search finds one version whole: the one that was current at its beginning, or one that became so until its end. */
async function problemOfSearch(mode: (typeof MODES)[number]): Promise<string | undefined> {
  const before = await session.documents.get(reference)
  const hits = await session.search(reference.contextId, 'a heron that nests in reeds', {
    mode,
    topN: 100,
    collapse: false,
  })
  const after = await session.documents.get(reference)
  const versions = new Set(hits.map(({ source }) => versionOf(source.originalName)))
  const [version = Number.NaN] = versions
  const [least, most] = [versionOf(before.originalName), versionOf(after.originalName)]
  const facts = `${mode}, versions ${[...versions].join()} in ${hits.length} hits, ${least} to ${most}`
  if (versions.size !== 1) return `${versions.size === 0 ? 'neither version' : 'both versions'}: ${facts}`
  if (version < least || version > most) return `another version: ${facts}`
  if (hits.some(({ docId }) => docId !== id)) return `another document: ${facts}`
  if (hits.some(({ content }) => (versionIn(content) ?? version) !== version))
    return `text of another version: ${facts}`
  if (least === most && hits.length !== before.chunks) return `a part of ${before.chunks} chunks: ${facts}`
  return undefined
}

async function searchAlways(loop: number): Promise<void> {
  for (let round = loop; ; round += 1) {
    const problem = await problemOfSearch(MODES[round % MODES.length] ?? 'hybrid')
    if (problem !== undefined) {
      process.send?.({ problem })
      process.exit(1)
    }
    process.send?.({ searches: 1 })
    if (PAUSE_MS > 0) await setTimeout(PAUSE_MS)
  }
}

/** A former writer may have been killed before its replacement was completed. */
async function replaceAlways(): Promise<void> {
  for (;;) {
    const { originalName, replacement } = await session.documents.get(reference)
    if (replacement === null) {
      const version = versionOf(originalName) + 1
      await session.documents.replace(reference, { fileName: nameOf(version), content: textOf(version) })
    }
    await session.documents.whenProcessed(reference)
    process.send?.({ done: 1 })
  }
}

process.on('disconnect', () => process.exit(1))
process.send?.('ready')
const searching = Array.from({ length: LOOPS }, (_, loop) => searchAlways(loop))
await Promise.all([...searching, ...(role === 'writer' ? [replaceAlways()] : [])])
