import { StorageFullError } from '../kernel/errors.js'
import type {
  ChunkSettings,
  ContextRecord,
  EmbeddingProfile,
  IngestionReceipt,
  Repositories,
  VectorIndex,
} from '../ports/index.js'
import type { KnownModels } from './known-models.js'

/** Documents whose receipts show how large the text of a chunk is. */
const SAMPLED_DOCUMENTS = 100
/** Bytes of UTF-8 for each token, in the rows of chunks and in the word index together. */
const BYTES_PER_TOKEN = 12
const BYTES_PER_COMPONENT = 4
/** Indexes, rows of windows, and room for the documents that are uploaded meanwhile. */
const SURPLUS = 1.5

/** The text of some documents, and of a whole context. */
interface TextSize {
  readonly tokens: number
  readonly windows: number
}

/**
 * Refuses a re-index of a context to the wanted settings for which the disk has no room.
 * @throws StorageFullError `ERR_STORAGE_FULL`
 */
export type RoomCheck = (
  repositories: Pick<Repositories, 'documents' | 'shadows'>,
  context: ContextRecord,
  wanted: ChunkSettings,
) => Promise<void>

/**
 * Reads the free room once, for the check in a transaction that may be repeated. Until the switch, both generations are
 * stored. The check does nothing if the free room is unknown, as it is in another machine's database.
 */
export async function roomCheck(vectors: Pick<VectorIndex, 'freeBytes'>, models: KnownModels): Promise<RoomCheck> {
  const free = await vectors.freeBytes?.()
  return async (repositories, context, wanted) => {
    if (free === undefined) return
    const { profile } = models.get(wanted.embeddingModel)
    const needed = bytesFor(await measureText(repositories, context), context, wanted, profile)
    if (needed <= free) return
    const [neededMb, freeMb] = [Math.ceil(needed / 1_000_000), Math.floor(free / 1_000_000)]
    throw new StorageFullError(
      `the re-index of context ${context.id} needs about ${neededMb} MB until it is finished, and the disk has ${freeMb} MB: free some room first`,
    )
  }
}

/** @returns the bytes of the chunks, words and vectors of a text under other settings; an estimate */
function bytesFor(
  text: TextSize,
  present: Pick<ChunkSettings, 'overlap'>,
  { chunkSizeTokens, overlap }: Pick<ChunkSettings, 'chunkSizeTokens' | 'overlap'>,
  { dimensions, windowTokens }: Pick<EmbeddingProfile, 'dimensions' | 'windowTokens'>,
): number {
  // Chunks repeat a part of the text.
  const tokens = text.tokens / (1 - overlap)
  const windows = Math.max(
    tokens / Math.min(chunkSizeTokens, windowTokens),
    (text.windows * (1 - present.overlap)) / (1 - overlap),
  )
  return SURPLUS * (tokens * BYTES_PER_TOKEN + windows * dimensions * BYTES_PER_COMPONENT)
}

/** Measures some documents, and multiplies by the number of chunks. */
async function measureText(
  { documents, shadows }: Pick<Repositories, 'documents' | 'shadows'>,
  { id }: ContextRecord,
): Promise<TextSize> {
  const sample = await documents.listPage(id, { order: 'oldest', limit: SAMPLED_DOCUMENTS })
  const receipts = sample
    .map(({ receipt }) => receipt)
    .filter((receipt): receipt is IngestionReceipt => receipt !== null)
  const sum = (valueOf: (receipt: IngestionReceipt) => number) =>
    receipts.reduce((total, receipt) => total + valueOf(receipt), 0)
  const factor =
    (await shadows.countChunks(id)) /
    Math.max(
      1,
      sum(({ chunks }) => chunks),
    )
  return { tokens: sum(({ tokens }) => tokens) * factor, windows: sum(({ windows }) => windows) * factor }
}
