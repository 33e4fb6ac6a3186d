import type { ErrorReason, ExtractedPiece } from '../../../src/ports/index.js'

/** Something that a reader could not read. */
export interface ReaderWarning {
  /** One sentence, such as "page 3 has no text". */
  readonly message: string
  /** The same for programs. Default: none. */
  readonly reason?: ErrorReason
}

/** A part of a file's text, as a reader yields it: each warning together with its reason. */
export interface ReaderPiece extends Omit<ExtractedPiece, 'warnings' | 'warningReasons'> {
  readonly warnings?: readonly ReaderWarning[]
}

/** @returns the piece as the port has it */
export function extractedPiece({ warnings, ...piece }: ReaderPiece): ExtractedPiece {
  if (warnings === undefined) return piece
  return {
    ...piece,
    warnings: warnings.map(({ message }) => message),
    warningReasons: warnings.map(({ reason = null }) => reason),
  }
}
