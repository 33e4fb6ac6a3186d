import type { Repositories } from '../../ports/index.js'

/** Chunks that one transaction removes: whoever writes meanwhile waits for one, not for all. */
export const CHUNKS_PER_REMOVAL = 500

/** Whatever makes transactions: a storage, or a job that is held. */
interface Transactions {
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>
}

/** Removes the chunks of a document from an ordinal on, in steps. */
export async function removeChunks(storage: Transactions, documentId: number, fromOrdinal: number = 0): Promise<void> {
  const removal = { fromOrdinal, limit: CHUNKS_PER_REMOVAL }
  while ((await storage.transaction(({ chunks }) => chunks.remove(documentId, removal))) > 0);
}
