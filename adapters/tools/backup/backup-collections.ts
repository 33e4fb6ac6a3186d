import { VectorsDamagedError } from '../../../src/index.js'
import type { LexicalIndex, VectorIndex } from '../../../src/ports/index.js'

/** The common members of the vector index and the word index. */
type CollectionIndex = Pick<VectorIndex, SharedMember> & Pick<LexicalIndex, SharedMember>
type SharedMember = 'countByDocument' | 'deleteDocument' | 'listCollections' | 'drop' | 'close'

/** An index whose deleted rows can be removed from its files. */
type CopiedIndex = CollectionIndex & { readonly purge: () => Promise<void> }

/** The copy of an index. */
export interface IndexCopy {
  /** Copies the whole index. */
  readonly copy: () => Promise<void>
  /** Opens the copy, without maintenance. */
  readonly open: () => CopiedIndex
  /** The ids of the documents to keep. */
  readonly keep: ReadonlySet<number>
  readonly signal: AbortSignal
}

/** A collection in the copy. */
export interface CopiedCollection {
  readonly name: string
  /** The number of rows by the id of the document, for the kept documents. */
  readonly rows: ReadonlyMap<number, number>
}

/**
 * Copies an index while engines write to it, and removes all documents that are not in `keep`. Those are later
 * documents, whose ids the restored engine will give to others, and unfinished ones, which start from the beginning.
 * Empty collections are left out. Deleted rows are in no file of the copy.
 */
export async function copyCollections({ copy, open, keep, signal }: IndexCopy): Promise<readonly CopiedCollection[]> {
  await copy()
  const index = open()
  try {
    const copied: CopiedCollection[] = []
    for (const name of await index.listCollections()) {
      signal.throwIfAborted()
      const rows = await removeOthers(index, name, keep)
      if (rows.size > 0) copied.push({ name, rows })
    }
    await index.purge()
    return copied
  } finally {
    await index.close()
  }
}

/** The number of rows in all collections. */
export function countRows(collections: readonly CopiedCollection[]): number {
  return collections.reduce((sum, { rows }) => [...rows.values()].reduce((all, count) => all + count, sum), 0)
}

/** Drops a damaged collection: it is useless in the backup, and the doctor rebuilds it from the documents. */
async function removeOthers(
  index: CollectionIndex,
  name: string,
  keep: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  try {
    const counts = [...(await index.countByDocument(name))]
    const kept = new Map(counts.filter(([id]) => keep.has(id)))
    if (kept.size > 0) {
      for (const [id] of counts) if (!kept.has(id)) await index.deleteDocument(name, id, 0)
      return kept
    }
  } catch (error) {
    if (!(error instanceof VectorsDamagedError)) throw error
  }
  await index.drop(name)
  return new Map()
}
