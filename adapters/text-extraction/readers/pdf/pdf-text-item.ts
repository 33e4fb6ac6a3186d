/** A run of text on a page, from PDF.js. */
export interface TextItem {
  readonly str: string
  /** The scale and rotation, then the position: a, b, c, d, x, y. */
  readonly transform: readonly number[]
  /** The length along the line. For vertical text: the size of a character. */
  readonly width: number
  /** For vertical text: the length along the line. */
  readonly height: number
  /** `ttb` for vertical text. */
  readonly dir: string
  readonly hasEOL: boolean
}
