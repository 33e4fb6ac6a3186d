/** Turns bytes into text piece by piece. It keeps the bytes of an incomplete character for the next piece. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}
