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
import type { VectorRows } from '../../src/ports/index.js'

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

/** Rows as an Arrow table over the same memory, without a copy of the vectors. */
export function toArrow(rows: VectorRows, dimensions: number): ArrowTable {
  const schema = schemaOf(dimensions)
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
  const struct = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })
  return new ArrowTable(schema, [new RecordBatch(schema, struct)])
}

function int32Data(data: Int32Array) {
  return makeData({ type: new Int32(), data })
}
