import { FileMissingError } from '../../kernel/errors.js'
import { itemsUntilAborted } from '../../kernel/scheduling/abort.js'
import type {
  ContextRecord,
  DocumentRecord,
  EmbeddingModel,
  FileStore,
  NewChunk,
  Storage,
  TextExtractor,
} from '../../ports/index.js'
import { windowTokensFor } from '../embedding-models.js'
import { chunkStream, hashedChunk, type TextSummary } from './chunks.js'
import { readFormerEnds } from './stored-chunks.js'
import { batchByWindows, type ChunkBatch } from './window-embedder.js'

/** The document whose text is extracted, and what its chunks depend on. */
interface ExtractedDocument {
  readonly document: DocumentRecord
  readonly context: ContextRecord
  readonly model: EmbeddingModel
}

interface ExtractionPorts {
  readonly storage: Storage
  readonly fileStore: FileStore
  readonly extractor: TextExtractor
}

/**
 * Extracts the text of a document, and cuts it into hashed chunks.
 *
 * @param windowCount minimum number of windows in a batch. Only the last batch can have fewer
 * @param summary receives the facts about the text. They are complete at the end
 */
export async function* extractedBatches(
  { storage, fileStore, extractor }: ExtractionPorts,
  { document, context, model }: ExtractedDocument,
  windowCount: number,
  summary: TextSummary,
  signal: AbortSignal,
): AsyncGenerator<ChunkBatch<NewChunk>> {
  const { originalName, contentType, sizeBytes, uuid, replaces, generation } = document
  const tokenizer = await model.tokenizer()
  if (generation !== null) await requireReceivedBytes(fileStore, document, signal)
  const source = { fileName: originalName, contentType, sizeBytes, open: () => fileStore.read(uuid) }
  // A user who deletes the document, or closes the engine, must not wait for an extractor that hangs.
  const pieces = itemsUntilAborted(extractor.extract(source, { signal }), signal)
  const options = {
    chunkSizeTokens: context.chunkSizeTokens,
    overlap: context.overlap,
    windowTokens: windowTokensFor(model, tokenizer, 'passage'),
    isCode: isCode(extractor, originalName),
  }
  // A shadow is cut as if it were new: it has the same text, and perhaps another size of chunks.
  const formerEnds = replaces === null || generation !== null ? undefined : await readFormerEnds(storage, replaces)
  const chunks = chunkStream(pieces, tokenizer, options, summary, formerEnds)
  const { fingerprint } = model.profile
  for await (const batch of batchByWindows(chunks, windowCount)) {
    const hashed = batch.chunks.map(async (chunk) => await hashedChunk(chunk, fingerprint))
    yield { chunks: await Promise.all(hashed), windowCount: batch.windowCount }
  }
}

function isCode({ formats }: TextExtractor, fileName: string): boolean {
  const name = fileName.toLowerCase()
  return formats.some((format) => format.isCode === true && name.endsWith(format.extension))
}

/**
 * A re-index replaces text that is right: it must not take that of a file that has changed on the disk since.
 *
 * @throws FileMissingError
 */
async function requireReceivedBytes(
  fileStore: FileStore,
  { uuid, contentHash }: DocumentRecord,
  signal: AbortSignal,
): Promise<void> {
  const { sha256 } = await fileStore.digest(uuid, { signal })
  if (sha256 === contentHash) return
  throw new FileMissingError(
    `the file ${uuid} in the file store has other bytes than the document had; restore it, or upload it a second time`,
  )
}
