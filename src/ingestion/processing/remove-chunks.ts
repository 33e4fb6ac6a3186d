import type { Storage } from '../../ports/index.js'

/** Chunks that one transaction removes: whoever writes meanwhile waits for one, not for all. */
export const CHUNKS_PER_REMOVAL = 500

/** Removes the chunks of a document from an ordinal on, in steps. */
export async function removeChunks(
  storage: Pick<Storage, 'transaction'>,
  documentId: number,
  fromOrdinal: number = 0,
): Promise<void> {
  const removal = { fromOrdinal, limit: CHUNKS_PER_REMOVAL }
  while ((await storage.transaction(({ chunks }) => chunks.remove(documentId, removal))) > 0);
}
