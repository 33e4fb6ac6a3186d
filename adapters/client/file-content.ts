/** The bytes of a file. A `Blob` is best: its size is known, and it can be sent again. Node makes one by `openAsBlob`. */
export type FileContent =
  | Blob
  | Uint8Array<ArrayBuffer>
  | string
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>

/** True if the content can be sent a second time. */
export function isRepeatable(content: FileContent): boolean {
  return typeof content === 'string' || ArrayBuffer.isView(content) || isBlob(content)
}

/** By its members: a page, or a test, may have a `Blob` of another realm. */
function isBlob(content: object): content is Blob {
  return 'arrayBuffer' in content && 'stream' in content && 'size' in content
}
