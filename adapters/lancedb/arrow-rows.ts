import {
  Table as ArrowTable,
  type Data,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
} from 'apache-arrow'
import type { VectorHit, VectorRows } from '../../src/ports/index.js'
import { CHUNK_KEY, chunkKey, windowName } from './table-schema.js'

/** The columns that identify a window. */
export const KEY_COLUMNS: readonly string[] = ['document', 'chunk', 'window']

/** The columns of a collection's table: the key of a window, its vector, and the {@link chunkKey} of its chunk. */
export function schemaOf(dimensions: number): Schema {
  return new Schema([
    new Field('document', new Int32(), false),
    new Field('chunk', new Int32(), false),
    new Field('window', new Int32(), false),
    new Field('vector', vectorType(dimensions), false),
    new Field(CHUNK_KEY, new Int64(), false),
  ])
}

/** Makes an Arrow batch over the memory of the rows, without a copy of the vectors. */
export function toBatch(rows: VectorRows, dimensions: number): RecordBatch {
  const schema = schemaOf(dimensions)
  const length = rows.chunks.length
  const child = makeData({ type: new Float32(), data: rows.vectors })
  const children: Data[] = [
    int32Data(new Int32Array(length).fill(rows.documentId)),
    int32Data(Int32Array.from(rows.chunks)),
    int32Data(Int32Array.from(rows.windows)),
    makeData({ type: vectorType(dimensions), length, nullCount: 0, child }),
    chunkKeyData(rows.documentId, rows.chunks),
  ]
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))
}

function chunkKeyData(documentId: number, chunks: ArrayLike<number>): Data {
  const keys = BigInt64Array.from({ length: chunks.length }, (_, row) =>
    chunkKey({ documentId, chunk: chunks[row] ?? 0 }),
  )
  return makeData({ type: new Int64(), data: keys })
}

/** Joins batches of one layout into a table. */
export function tableOf(batches: readonly RecordBatch[]): ArrowTable {
  return new ArrowTable([...batches])
}

/** The hits of a search, nearest first. */
export function toHits(found: ArrowTable): VectorHit[] {
  const documents = readNumbers(found, 'document')
  const chunks = readNumbers(found, 'chunk')
  const windows = readNumbers(found, 'window')
  const hits = Array.from(readNumbers(found, '_distance'), (distance, row) => ({
    documentId: documents[row] ?? 0,
    chunk: chunks[row] ?? 0,
    window: windows[row] ?? 0,
    similarity: 1 - distance,
  }))
  // A vector of zeros has no distance.
  return hits.filter(({ similarity }) => !Number.isNaN(similarity))
}

/** The vectors, by the name of their window. */
export function toVectors(found: ArrowTable): Map<string, Float32Array> {
  const documents = readNumbers(found, 'document')
  const chunks = readNumbers(found, 'chunk')
  const windows = readNumbers(found, 'window')
  const column = found.getChild('vector')
  const vectors = new Map<string, Float32Array>()
  for (let row = 0; row < found.numRows; row += 1) {
    const vector = column?.get(row) as { toArray(): Float32Array } | null | undefined
    const key = { documentId: documents[row] ?? 0, chunk: chunks[row] ?? 0, window: windows[row] ?? 0 }
    if (vector) vectors.set(windowName(key), vector.toArray())
  }
  return vectors
}

function vectorType(dimensions: number): FixedSizeList {
  return new FixedSizeList(dimensions, new Field('item', new Float32(), true))
}

function int32Data(data: Int32Array) {
  return makeData({ type: new Int32(), data })
}

/** Reads a column of numbers as one array. */
function readNumbers(table: ArrowTable, column: string): ArrayLike<number> {
  return (table.getChild(column)?.toArray() ?? []) as ArrayLike<number>
}
