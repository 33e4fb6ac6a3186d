/** Turns bytes into text piece by piece; keeps back what a character still lacks. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}
