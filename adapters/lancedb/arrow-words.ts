import { setImmediate } from 'node:timers/promises'
import { Field, Int32, makeData, RecordBatch, Schema, Struct, Utf8 } from 'apache-arrow'
import type { LexicalRows } from '../../src/ports/index.js'
import { chunkKeyData, chunkKeyField } from './arrow-rows.js'
import { CHUNK_KEY } from './document-predicates.js'
import type { EncodedTerms } from './term-statistics.js'

/** The column with the terms of a chunk, as often as they occur, joined by one space. */
export const TERMS = 'terms'
/** Chunks that are encoded without a pause: some milliseconds. */
const SLICE_MS = 10

/** The columns of a collection's table. */
export function schemaOfWords(hasKey = true): Schema {
  return new Schema([
    new Field('document', new Int32(), false),
    new Field('chunk', new Int32(), false),
    new Field(TERMS, new Utf8(), false),
    ...(hasKey ? [chunkKeyField()] : []),
  ])
}

/** Rows as Arrow has them. Lets others work every few milliseconds. */
export async function toWordBatch(rows: LexicalRows, columns: ReadonlySet<string>): Promise<RecordBatch> {
  const { documentId, chunks, terms } = rows
  const hasKey = columns.has(CHUNK_KEY)
  const schema = schemaOfWords(hasKey)
  const length = chunks.length
  const { bytes, offsets } = await encodeTerms(chunks.map((_, row) => terms[row] ?? []))
  const children = [
    makeData({ type: new Int32(), data: new Int32Array(length).fill(documentId) }),
    makeData({ type: new Int32(), data: Int32Array.from(chunks) }),
    makeData({ type: new Utf8(), length, nullCount: 0, valueOffsets: offsets, data: bytes }),
    ...(hasKey ? [chunkKeyData(documentId, chunks)] : []),
  ]
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))
}

async function encodeTerms(terms: readonly (readonly string[])[]): Promise<EncodedTerms> {
  const encoder = new TextEncoder()
  const offsets = new Int32Array(terms.length + 1)
  const parts: Uint8Array[] = []
  let began = performance.now()
  for (const [row, ofChunk] of terms.entries()) {
    const part = encoder.encode(ofChunk.join(' '))
    parts.push(part)
    offsets[row + 1] = (offsets[row] ?? 0) + part.length
    if (performance.now() - began < SLICE_MS) continue
    await setImmediate()
    began = performance.now()
  }
  const bytes = new Uint8Array(offsets[terms.length] ?? 0)
  for (const [row, part] of parts.entries()) bytes.set(part, offsets[row])
  return { bytes, offsets }
}

/** Chunks that were read, with their terms. */
export interface WordBatch extends EncodedTerms {
  readonly rows: number
  /** Without the column: none. */
  readonly documents: ArrayLike<number>
  readonly chunks: ArrayLike<number>
  /** Without the column: none. */
  readonly rowIds: ArrayLike<bigint>
}

/** The rows of a table as it was read or is written, batch by batch. */
export function wordBatches({ batches }: { readonly batches: readonly RecordBatch[] }): WordBatch[] {
  return batches.map((batch) => {
    const data = batch.getChild(TERMS)?.data[0]
    return {
      rows: batch.numRows,
      documents: valuesOf<number>(batch, 'document'),
      chunks: valuesOf<number>(batch, 'chunk'),
      rowIds: valuesOf<bigint>(batch, '_rowid'),
      bytes: (data?.values ?? new Uint8Array()) as Uint8Array,
      offsets: (data?.valueOffsets ?? new Int32Array(1)) as Int32Array,
    }
  })
}

/** The rows that a full-text search has found, and Lance's scores, the best first. */
export function toEstimates({ batches }: { readonly batches: readonly RecordBatch[] }): {
  readonly rowId: bigint
  readonly estimate: number
}[] {
  const estimates = batches.flatMap((batch) => {
    const rowIds = valuesOf<bigint>(batch, '_rowid')
    return Array.from(valuesOf<number>(batch, '_score'), (estimate, row) => ({ rowId: rowIds[row] ?? 0n, estimate }))
  })
  return estimates.sort((one, other) => other.estimate - one.estimate)
}

function valuesOf<Value>(batch: RecordBatch, column: string): ArrayLike<Value> {
  return (batch.getChild(column)?.toArray() ?? []) as ArrayLike<Value>
}
