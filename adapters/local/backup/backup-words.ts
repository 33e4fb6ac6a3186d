import type { SqliteSnapshot } from '../../knex/index.js'
import { SqliteLexicalIndex } from '../../words/index.js'
import { copyCollections, rowsIn } from './backup-collections.js'

/** Words that were copied. */
export interface CopiedWords {
  readonly wordCollections: number
  /** Chunks of which the words are in the copy. */
  readonly indexedChunks: number
}

/**
 * Copies the words of the documents that are completed in a snapshot, while the tables are written to. A document that
 * lacks some in the copy is noted in the snapshot as one whose words are not indexed: the engine that opens what is
 * restored indexes them in the background.
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
  const take = async (): Promise<void> => {
    const index = open(paths.from)
    try {
      await index.copyTo(paths.to, signal)
    } finally {
      await index.close()
    }
  }
  const copied = await copyCollections({ take, open: () => open(paths.to), keep, signal })
  const rowsOf = (id: number, version: number): number => {
    // A context has a collection for each version of the analyzer, and a document is in those of one context.
    const ofVersion = copied.filter(({ name }) => name.endsWith(`-words-${version}`))
    return ofVersion.reduce((sum, { rows }) => sum + (rows.get(id) ?? 0), 0)
  }
  const lacking: number[] = []
  for await (const { id, chunks, wordsVersion } of snapshot.documents()) {
    if (keep.has(id) && wordsVersion !== null && rowsOf(id, wordsVersion) !== chunks) lacking.push(id)
  }
  await snapshot.forgetWords(lacking)
  return { wordCollections: copied.length, indexedChunks: rowsIn(copied) }
}
