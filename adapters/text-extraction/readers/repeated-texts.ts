/** Repeated texts may be longer than the cells of a table by this factor. */
const REPEATED_PER_CHARACTER = 12

/** The room of a table for texts that it repeats in several rows: each cell of its own makes more. */
export class RepeatedTexts {
  #room: number

  /** @param room characters that any table may repeat */
  constructor(room: number) {
    this.#room = room
  }

  /** Makes room by a cell of a row. */
  earn(text: string): void {
    this.#room += text.length * REPEATED_PER_CHARACTER
  }

  /** @returns false if there is no room to repeat the text */
  take(text: string): boolean {
    if (text.length > this.#room) return false
    this.#room -= text.length
    return true
  }

  /** The times that a text is written, and makes room: once, and more often while there is room. */
  timesFor(characters: number, times: number): number {
    this.#room += characters * REPEATED_PER_CHARACTER
    const more = Math.max(0, Math.floor(this.#room / Math.max(1, characters)))
    const allowed = Math.min(times, 1 + more)
    this.#room -= (allowed - 1) * characters
    return allowed
  }

  hasRoomFor(characters: number): boolean {
    return this.#room >= characters
  }
}
