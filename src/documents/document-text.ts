import type { z } from 'zod'
import { InvalidInputError, TextUnavailableError } from '../kernel/errors.js'
import { integerSchema, objectSchema, validate } from '../kernel/validate.js'
import type { DocumentRecord, NewChunk, Storage } from '../ports/index.js'
import { gapLength, gapParts } from './pipeline/gaps.js'
import { storedChunks } from './pipeline/stored-chunks.js'

/** A part of a document's text, in UTF-16 units. */
export interface TextRange {
  /** Offset of the first unit. Default: 0. */
  readonly start?: number | undefined
  /** Offset after the last unit, at most the length of the text. Default: the length of the text. */
  readonly end?: number | undefined
}

/** A part of a document's text. Its pieces are read while the caller iterates. */
export interface DocumentText {
  readonly start: number
  readonly end: number
  /** Length of the whole text in UTF-16 units. */
  readonly length: number
  /** The text in pieces of at most some hundred thousand units. */
  readonly pieces: AsyncIterable<string>
}

/** The most units that one string holds. */
const MAX_STRING_UNITS = 4_194_304

/** Schema for the query of a request for a text. */
export const textRangeSchema: z.ZodType<TextRange> = objectSchema({
  start: integerSchema({ min: 0 }).optional(),
  end: integerSchema({ min: 0 }).optional(),
})

/**
 * Opens a part of the text that was extracted from a document. It is put together from the chunks that the part needs,
 * and from the white space between them.
 *
 * @throws TextUnavailableError if the document is not completed
 * @throws InvalidInputError if the range is not within its text
 */
export function openText(storage: Storage, document: DocumentRecord, range: TextRange = {}): DocumentText {
  const { start = 0, end: wantedEnd } = validate(textRangeSchema, range)
  const { receipt } = document
  if (receipt === null) throw new TextUnavailableError(document)
  const length = receipt.characters
  const end = wantedEnd ?? length
  if (end > length) throw new InvalidInputError('end', `must be at most ${length}, the length of the text`)
  if (start > end) throw new InvalidInputError('start', `must be at most ${end}, the end of the part`)
  return { start, end, length, pieces: readText(storage, document, start, end) }
}

/** Reads a part of a text as one string. @throws InvalidInputError if the part does not fit in a string */
export async function joinText({ start, end, pieces }: DocumentText): Promise<string> {
  if (end - start > MAX_STRING_UNITS) {
    const most = MAX_STRING_UNITS.toLocaleString('en-US')
    throw new InvalidInputError('end', `a part has at most ${most} units: read a longer text in parts, or by openText`)
  }
  const texts: string[] = []
  for await (const text of pieces) texts.push(text)
  return texts.join('')
}

/** Least UTF-16 units of a part. A check of rights before each chunk would cost more than its read. */
const UNITS_PER_PART = 32_768

/** Joins short pieces. */
export async function* inParts(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let part = ''
  for await (const piece of pieces) {
    part += piece
    if (part.length < UNITS_PER_PART) continue
    yield part
    part = ''
  }
  if (part !== '') yield part
}

async function* readText(
  storage: Storage,
  document: DocumentRecord,
  start: number,
  end: number,
): AsyncGenerator<string> {
  let position = start
  let covered = 0
  let last: NewChunk | undefined
  const first = start === end ? document.chunkCount : await findChunk(storage, document, start)
  for await (const chunk of storedChunks(storage, document.id, first)) {
    if (chunk.start > position) {
      yield* readGap(
        document,
        chunk.gapBefore,
        { from: covered, to: chunk.start },
        position,
        Math.min(end, chunk.start),
      )
      position = Math.min(end, chunk.start)
    }
    covered = chunk.start + chunk.content.length
    if (position < end && covered > position) {
      yield chunk.content.slice(position - chunk.start, end - chunk.start)
      position = Math.min(end, covered)
    }
    last = chunk
    if (position >= end) return
  }
  if (position < end) {
    const { characters = 0 } = document.receipt ?? {}
    yield* readGap(document, last?.gapAfter ?? null, { from: covered, to: characters }, position, end)
  }
}

/** The ordinal of the last chunk that begins at or before an offset; 0 if none does. Chunks begin in ascending order. */
async function findChunk(storage: Storage, { id, chunkCount }: DocumentRecord, offset: number): Promise<number> {
  let [low, high] = [0, chunkCount]
  while (low < high) {
    const ordinal = (low + high) >>> 1
    const [chunk] = await storage.read(({ chunks }) => chunks.page(id, { ordinal, limit: 1 }))
    if (chunk !== undefined && chunk.start <= offset) low = ordinal + 1
    else high = ordinal
  }
  return Math.max(0, low - 1)
}

/** Reads a part of the white space between two chunks, or in front of the first or after the last one. */
function* readGap(
  { uuid }: DocumentRecord,
  gap: string | null,
  place: { readonly from: number; readonly to: number },
  start: number,
  end: number,
): Generator<string> {
  if (gap === null || gapLength(gap) !== place.to - place.from) {
    throw new InvalidInputError(
      'document',
      `the white space of the document ${uuid} from ${place.from} to ${place.to} is not stored: replace the document with the same file, or read its chunks`,
    )
  }
  yield* gapParts(gap, start - place.from, end - place.from)
}
