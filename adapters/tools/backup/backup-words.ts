import type { SqliteSnapshot } from '../../knex/index.js'
import { SqliteLexicalIndex } from '../../words/index.js'
import { copyCollections, countRows } from './backup-collections.js'

export interface CopiedWords {
  readonly wordCollections: number
  /** Chunks whose words are in the copy. */
  readonly indexedChunks: number
}

/**
 * Copies the words of the documents that are completed in a snapshot, while engines write to the tables. If words of a
 * document are missing in the copy, the snapshot notes its words as not indexed. The engine that opens the restored
 * folder then indexes them in the background.
 */
export async function copyWords(
  paths: { readonly from: string; readonly to: string },
  snapshot: SqliteSnapshot,
  signal: AbortSignal,
): Promise<CopiedWords> {
  const keep = new Set<number>()
  for await (const { id, isCompleted, wordsVersion } of snapshot.documents()) {
    if (isCompleted && wordsVersion !== null) keep.add(id)
  }
  const open = (folder: string) => new SqliteLexicalIndex(folder, { maintains: false })
  const copyAll = async (): Promise<void> => {
    const index = open(paths.from)
    try {
      await index.copyTo(paths.to, signal)
    } finally {
      await index.close()
    }
  }
  const copied = await copyCollections({ copy: copyAll, open: () => open(paths.to), keep, signal })
  const rowsOf = (id: number, version: number): number => {
    // A context has a collection for each version of the analyzer, and a document is in those of one context.
    const ofVersion = copied.filter(({ name }) => name.endsWith(`-words-${version}`))
    return ofVersion.reduce((sum, { rows }) => sum + (rows.get(id) ?? 0), 0)
  }
  const incomplete: number[] = []
  for await (const { id, chunks, wordsVersion } of snapshot.documents()) {
    if (keep.has(id) && wordsVersion !== null && rowsOf(id, wordsVersion) !== chunks) incomplete.push(id)
  }
  await snapshot.forgetWords(incomplete)
  return { wordCollections: copied.length, indexedChunks: countRows(copied) }
}
