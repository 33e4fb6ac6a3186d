/**
 * Opens the given folder, and replaces its document by one version after the other until it is killed, while several
 * loops search it. Reports each version that is completed, and ends with an error if a search finds neither, or both.
 */
import { openLocalEngine } from '../../dist/adapters/local/index.js'

const [dataDir, last] = process.argv.slice(2)
const MODES = ['hybrid', 'semantic', 'keyword']
const LOOPS = 3
const PARAGRAPHS = 5

const engine = await openLocalEngine({ dataDir })
const session = engine.as(engine.owner)
const [known] = await session.contexts.list()
const settings = { chunkSizeTokens: 40, overlap: 0, scoreThreshold: 0 }
const context =
  known ?? (await session.contexts.create({ name: 'C', description: '', caption: '', toolsJson: '[]', settings }))

/** Most paragraphs are those of all versions, so their vectors are used again. */
function textOf(version) {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, number) => {
    const edit = number === 2 ? `Edition ${version} says so.` : 'Every edition says so.'
    return `The heron of shore ${number} nests in reeds and eats fish of pond ${number}. ${edit}`
  })
  return `${paragraphs.join('\n\n')}\n\nThe heron ends edition ${version}.`
}

const nameOf = (version) => `manual-${version}.txt`
const versionOf = (name) => Number(/manual-(\d+)\.txt/.exec(name)?.[1])

let [document] = await session.documents.list(context.id)
if (document === undefined) {
  const uuid = await session.documents.upload(context.id, { fileName: nameOf(0), content: textOf(0) })
  document = await session.documents.whenProcessed(uuid)
}
const reference = { contextId: context.id, id: document.id }
/** The versions that a search may find now: those before the first are replaced, those after the second unknown. */
let completed = versionOf(document.originalName)
let requested = Math.max(completed, versionOf(document.replacement?.originalName ?? ''), completed)
if (Number.isNaN(requested)) requested = completed
const chunksOf = new Map()
let isStopped = false
let searches = 0

async function search(mode) {
  const least = completed
  const hits = await session.search(context.id, 'a heron that nests in reeds', { mode, topN: 100, collapse: false })
  const versions = new Set(hits.map(({ source }) => versionOf(source.originalName)))
  const [version] = versions
  const ids = new Set(hits.map(({ docId }) => docId))
  const problem = (text) =>
    `${text}: ${mode}, versions ${[...versions]} in ${hits.length} hits, ${least} to ${requested}`
  if (version === undefined) return problem('neither version')
  if (versions.size > 1) return problem('both versions')
  if (ids.size !== 1 || !ids.has(document.id)) return problem('another id')
  if (version < least || version > requested) return problem('a wrong version')
  for (const { content } of hits) {
    const edition = /edition (\d+)/i.exec(content)?.[1]
    if (edition !== undefined && Number(edition) !== version) return problem(`text of version ${edition}`)
  }
  const chunks = chunksOf.get(version)
  if (chunks !== undefined && hits.length !== chunks) return problem(`a part of ${chunks} chunks`)
  searches += 1
  return undefined
}

async function searchAlways(loop) {
  for (let round = loop; !isStopped; round += 1) {
    const problem = await search(MODES[round % MODES.length])
    if (problem !== undefined) {
      process.send({ problem })
      process.exit(1)
    }
  }
}

const searching = Array.from({ length: LOOPS }, (_, loop) => searchAlways(loop))
if (document.replacement !== null)
  completed = versionOf((await session.documents.whenProcessed(reference)).originalName)
// The process before may have completed it without a report.
process.send({ found: completed })
while (completed < Number(last)) {
  requested = completed + 1
  const uuid = await session.documents.replace(reference, {
    fileName: nameOf(requested),
    content: textOf(requested),
  })
  const { chunks } = await session.documents.whenProcessed(uuid)
  chunksOf.set(requested, chunks)
  completed = requested
  process.send({ completed, searches })
  searches = 0
}
isStopped = true
await Promise.all(searching)
await engine.close()
process.disconnect()
