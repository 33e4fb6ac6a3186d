import { MarkedLines } from '../marked-lines.js'

/** A document of another format that stands in the text of a document (`altChunk`). */
export interface DocxChunk {
  /** Adds its paragraphs, at the first call only. */
  addTo(out: MarkedLines): void
}

/** The paragraphs of a chunk, for a cell or a box. */
export function paragraphsOf(chunk: DocxChunk): string[] {
  const lines = new MarkedLines()
  chunk.addTo(lines)
  const text = [...lines.pieces()].map((piece) => piece.text).join('')
  return text.split('\n').filter((line) => line.trim() !== '')
}
