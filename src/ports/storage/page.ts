/** A part of a list that is ordered by a number, such as an id. */
export interface Page {
  /** Only items with a higher number. */
  readonly after: number
  /** Maximum number of items. */
  readonly limit: number
}
