import type { LexicalIndex, LexicalQuery, Storage } from '../../dist/src/ports/index.js'

/** The shares of the documents that filters select. */
export const PERCENTS = [0.01, 0.1, 1, 10, 50, 90, 100] as const

const NOW = '2026-01-01T00:00:00.000Z'
/** Documents of one transaction. */
const DOCUMENTS_AT_ONCE = 200
const TERMS_PER_CHUNK = 60
const VOCABULARY = 20_000

/**
 * Adds completed documents to a new context. Each document has a key for each percentage that selects it.
 * @returns the id of the context
 */
export async function fillStorage(storage: Storage, documentIds: readonly number[]): Promise<number> {
  const context = await storage.transaction(async (repositories) => {
    const { id: companyId } = await repositories.companies.insert({ name: 'Root', parentId: null, created: NOW })
    const { id: regionId } = await repositories.regions.ensure('local')
    const account = {
      companyId,
      application: 'assistant',
      regionId,
      name: 'Main',
      isActive: true,
      created: NOW,
    } as const
    const { id: accountId } = await repositories.accounts.insert(account)
    const name = { email: 'a@example.com', emailKey: 'a@example.com', firstName: 'Ada', lastName: 'L', name: 'Ada L' }
    const user = { companyId, ...name, externalId: null, created: NOW, lastAccess: null, passwordHash: null }
    const { id: userId } = await repositories.users.insert(user)
    return await repositories.contexts.insert({
      ...{ accountId, userId, name: 'Filters', description: '', caption: '', toolsJson: '[]', starterPrompts: [] },
      ...{ embeddingModel: 'none', maxSizeBytes: 1, topN: 5, scoreThreshold: 0, chunkSizeTokens: 1, overlap: 0 },
      ...{ shareState: 0, searchMode: 'hybrid', findsEarly: false, icon: null, created: NOW, deleted: null },
      ...{ generation: 0, lastGeneration: 0, reindexing: null },
    })
  })
  for (let at = 0; at < documentIds.length; at += DOCUMENTS_AT_ONCE) {
    await storage.transaction(async ({ documents }) => {
      for (const id of documentIds.slice(at, at + DOCUMENTS_AT_ONCE)) {
        const selecting = PERCENTS.filter((percent) => isSelected(id, percent))
        await documents.insert({
          ...{ uuid: `${id}`, contextId: context.id, originalName: `${id}.txt`, nameIndex: 0 },
          ...{ replaces: null, generation: null },
          ...{ displayName: null, contentType: 'text/plain', contentHash: '', sizeBytes: 1, chunkCount: 10 },
          ...{ created: NOW, createdBy: context.userId, started: NOW, completed: NOW, error: null, receipt: null },
          ...{ wordsVersion: 1, embeddedChunks: 10, excessBytes: 0, deleted: null },
          metadata: Object.fromEntries(selecting.map((percent) => [`p${percent}`, 1])),
        })
      }
    })
  }
  return context.id
}

/** Selects documents that are spread irregularly. */
function isSelected(id: number, percent: number): boolean {
  if (id === 1) return true
  return scattered(id) < percent / 100
}

/** A number from 0 to 1 that looks random. Source: Knuth, "The Art of Computer Programming", multiplicative hashing */
function scattered(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 15), 2_654_435_761)
  return (Math.imul(mixed ^ (mixed >>> 13), 2_246_822_507) >>> 0) / 2 ** 32
}

/** Adds chunks whose terms are as frequent as words of a text: the frequency falls with the rank. */
export async function fillWords(
  index: LexicalIndex,
  collection: string,
  documentIds: readonly number[],
  chunksPerDocument: number,
): Promise<void> {
  for (const documentId of documentIds) {
    const chunks = Array.from({ length: chunksPerDocument }, (_, chunk) => chunk)
    const terms = chunks.map((chunk) =>
      Array.from({ length: TERMS_PER_CHUNK }, (_, at) => {
        return termOf(scattered((documentId * chunksPerDocument + chunk) * TERMS_PER_CHUNK + at + 1))
      }),
    )
    await index.add(collection, { documentId, chunks, terms })
  }
}

/** A question of a frequent, a less frequent and a rare term. */
export function wordQuery(number: number): LexicalQuery {
  const terms = [0.1, 0.4, 0.7].map((from) => termOf(from + 0.25 * scattered(number + 1)))
  return new Map(terms.map((term) => [term, 1]))
}

/** @param share 0 to 1 */
function termOf(share: number): string {
  return `t${Math.floor(VOCABULARY ** share)}`
}
