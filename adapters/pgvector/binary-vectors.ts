/** A vector of pgvector's begins with its dimensions and two bytes that it does not use. */
const VECTOR_HEADER_BYTES = 4
/** Of an array: dimensions, whether there are nulls, the type, the length and the first index. */
const ARRAY_HEADER_BYTES = 20
const LENGTH_BYTES = 4
const FLOAT_BYTES = 4

/**
 * Vectors as an array in the binary form of PostgreSQL's protocol (pgvector, `vector_recv`; PostgreSQL, `array_recv`):
 * as text, a thousand of them would take the event loop a tenth of a second.
 *
 * @param vectors row by row
 * @param type the number by which the database knows the type `vector`
 */
export function encodeVectors(vectors: Float32Array, dimensions: number, type: number): Buffer {
  const rows = vectors.length / dimensions
  const vectorBytes = VECTOR_HEADER_BYTES + dimensions * FLOAT_BYTES
  const bytes = Buffer.allocUnsafe(ARRAY_HEADER_BYTES + rows * (LENGTH_BYTES + vectorBytes))
  const header = [1, 0, type, rows, 1]
  for (const [index, value] of header.entries()) bytes.writeInt32BE(value, index * 4)
  let at = ARRAY_HEADER_BYTES
  for (let row = 0; row < rows; row += 1) {
    bytes.writeInt32BE(vectorBytes, at)
    writeVector(bytes, at + LENGTH_BYTES, vectors.subarray(row * dimensions, (row + 1) * dimensions))
    at += LENGTH_BYTES + vectorBytes
  }
  return bytes
}

/** One vector, in the same form. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(VECTOR_HEADER_BYTES + vector.length * FLOAT_BYTES)
  writeVector(bytes, 0, vector)
  return bytes
}

/** A vector as the driver gives it: `[1,2.5,3]`. */
export function parseVector(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[])
}

function writeVector(bytes: Buffer, start: number, vector: Float32Array): void {
  bytes.writeInt16BE(vector.length, start)
  bytes.writeInt16BE(0, start + 2)
  let at = start + VECTOR_HEADER_BYTES
  for (const component of vector) at = bytes.writeFloatBE(component, at)
}
