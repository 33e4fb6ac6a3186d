import {
  Table as ArrowTable,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
} from 'apache-arrow'
import type { VectorHit, VectorRows } from '../../src/ports/index.js'
import { nameOf } from './document-predicates.js'

/** The columns that name a window. */
export const KEY_COLUMNS: readonly string[] = ['document', 'chunk', 'window']

/** The columns of a collection's table: the key of a window, and its vector. */
export function schemaOf(dimensions: number): Schema {
  const vector = new FixedSizeList(dimensions, new Field('item', new Float32(), true))
  return new Schema([
    new Field('document', new Int32(), false),
    new Field('chunk', new Int32(), false),
    new Field('window', new Int32(), false),
    new Field('vector', vector, false),
  ])
}

/** Rows of several additions as one Arrow table over the same memory, without a copy of the vectors. */
export function toArrow(additions: readonly VectorRows[], dimensions: number): ArrowTable {
  const schema = schemaOf(dimensions)
  return new ArrowTable(
    schema,
    additions.map((rows) => toBatch(rows, dimensions, schema)),
  )
}

function toBatch(rows: VectorRows, dimensions: number, schema: Schema): RecordBatch {
  const length = rows.chunks.length
  const child = makeData({ type: new Float32(), data: rows.vectors })
  const children = [
    int32Data(new Int32Array(length).fill(rows.documentId)),
    int32Data(Int32Array.from(rows.chunks)),
    int32Data(Int32Array.from(rows.windows)),
    makeData({
      type: new FixedSizeList(dimensions, new Field('item', new Float32(), true)),
      length,
      nullCount: 0,
      child,
    }),
  ]
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))
}

function int32Data(data: Int32Array) {
  return makeData({ type: new Int32(), data })
}

/** A column of numbers, as one array. */
function numbers(table: ArrowTable, column: string): ArrayLike<number> {
  return (table.getChild(column)?.toArray() ?? []) as ArrayLike<number>
}

/** What a search found, nearest first. */
export function toHits(found: ArrowTable): VectorHit[] {
  const documents = numbers(found, 'document')
  const chunks = numbers(found, 'chunk')
  const windows = numbers(found, 'window')
  return Array.from(numbers(found, '_distance'), (distance, row) => ({
    documentId: documents[row] ?? 0,
    chunk: chunks[row] ?? 0,
    window: windows[row] ?? 0,
    similarity: 1 - distance,
  }))
}

/** Vectors by the name of their window. */
export function toVectors(found: ArrowTable): Map<string, Float32Array> {
  const documents = numbers(found, 'document')
  const chunks = numbers(found, 'chunk')
  const windows = numbers(found, 'window')
  const column = found.getChild('vector')
  const vectors = new Map<string, Float32Array>()
  for (let row = 0; row < found.numRows; row += 1) {
    const vector = column?.get(row) as { toArray(): Float32Array } | null | undefined
    const key = { documentId: documents[row] ?? 0, chunk: chunks[row] ?? 0, window: windows[row] ?? 0 }
    if (vector) vectors.set(nameOf(key), vector.toArray())
  }
  return vectors
}
