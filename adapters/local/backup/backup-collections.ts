import { VectorsDamagedError } from '../../../src/index.js'
import type { LexicalIndex, VectorIndex } from '../../../src/ports/index.js'

/** What the vector index and the word index have in common. */
type CollectionIndex = Pick<VectorIndex, SharedMember> & Pick<LexicalIndex, SharedMember>
type SharedMember = 'countByDocument' | 'deleteDocument' | 'listCollections' | 'drop' | 'close'

/** An index that is copied. */
export interface IndexCopy {
  /** Copies all of it. */
  readonly take: () => Promise<void>
  /** Opens the copy; nothing in it is put in order. */
  readonly open: () => CollectionIndex
  /** The documents that are kept. */
  readonly keep: ReadonlySet<number>
  readonly signal: AbortSignal
}

/** A collection in the copy. */
export interface CopiedCollection {
  readonly name: string
  /** Documents that are kept, with their rows. */
  readonly rows: ReadonlyMap<number, number>
}

/**
 * Copies an index while it is written to, and removes what is not kept: later documents, whose ids the
 * restored engine will give to others, and those under way, which begin anew. Collections without any are left out.
 */
export async function copyCollections(copy: IndexCopy): Promise<readonly CopiedCollection[]> {
  await copy.take()
  const index = copy.open()
  try {
    const copied: CopiedCollection[] = []
    for (const name of await index.listCollections()) {
      copy.signal.throwIfAborted()
      const rows = await keepIn(index, name, copy.keep)
      if (rows.size > 0) copied.push({ name, rows })
    }
    return copied
  } finally {
    await index.close()
  }
}

/** How many rows collections have. */
export function rowsIn(collections: readonly CopiedCollection[]): number {
  return collections.reduce((sum, { rows }) => [...rows.values()].reduce((all, count) => all + count, sum), 0)
}

/** What is damaged in the source is of no use in the backup: it is dropped, and made again from the documents. */
async function keepIn(
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
