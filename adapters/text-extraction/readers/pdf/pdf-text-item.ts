/** A run of text on a page, as PDF.js gives it. */
export interface TextItem {
  readonly str: string
  /** Scale and rotation, then position: a, b, c, d, x, y. */
  readonly transform: readonly number[]
  /** Along the line; of vertical text the size of a character. */
  readonly width: number
  /** Of vertical text: along the line. */
  readonly height: number
  /** `ttb` for vertical text. */
  readonly dir: string
  readonly hasEOL: boolean
}
