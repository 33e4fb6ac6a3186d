/** Something that holds files or connections. */
interface Closable {
  close(): Promise<void>
}

/** The parts that one opening has made so far. They are closed where it fails, the newest first. */
export class OpenedParts {
  readonly #parts: Closable[] = []

  /** Notes a part that the opening has made, not one that the host has given. */
  note<Part extends Closable>(part: Part): Part {
    this.#parts.push(part)
    return part
  }

  /** Closes all parts. A part that fails to close stops no other: the error that ended the opening is the one to report. */
  async close(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) await part.close().catch(() => undefined)
  }
}
