/** A vector of pgvector begins with its dimensions (2 bytes) and two unused bytes. */
const VECTOR_HEADER_BYTES = 4
/**
 * The header of an array: dimensions, a flag for nulls, the element type, the length and the first index, 4 bytes each.
 */
const ARRAY_HEADER_BYTES = 20
const LENGTH_BYTES = 4
const FLOAT_BYTES = 4

/**
 * Encodes vectors as an array in the binary form of PostgreSQL's protocol. Text would block the event loop for a tenth
 * of a second for each thousand vectors. Source: `vector_recv` of pgvector, `array_recv` of PostgreSQL.
 *
 * @param vectors the vectors, one after the other
 * @param type the oid of the type `vector` in the database
 */
export function encodeVectors(vectors: Float32Array, dimensions: number, type: number): Buffer {
  const rows = vectors.length / dimensions
  const vectorBytes = VECTOR_HEADER_BYTES + dimensions * FLOAT_BYTES
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + rows * (LENGTH_BYTES + vectorBytes))
  const header = [1, 0, type, rows, 1]
  for (const [index, value] of header.entries()) bytes.writeInt32BE(value, index * 4)
  let offset = ARRAY_HEADER_BYTES
  for (let row = 0; row < rows; row += 1) {
    bytes.writeInt32BE(vectorBytes, offset)
    writeVector(bytes, offset + LENGTH_BYTES, vectors.subarray(row * dimensions, (row + 1) * dimensions))
    offset += LENGTH_BYTES + vectorBytes
  }
  return bytes
}

/** Encodes one vector in the same binary form. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(VECTOR_HEADER_BYTES + vector.length * FLOAT_BYTES)
  writeVector(bytes, 0, vector)
  return bytes
}

/** Parses a vector in the text form, such as `[1,2.5,3]`. */
export function parseVector(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[])
}

function writeVector(bytes: Buffer, start: number, vector: Float32Array): void {
  bytes.writeInt16BE(vector.length, start)
  bytes.writeInt16BE(0, start + 2)
  let offset = start + VECTOR_HEADER_BYTES
  for (const component of vector) offset = bytes.writeFloatBE(component, offset)
}
