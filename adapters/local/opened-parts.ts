/** A part that holds files or connections. */
interface Closable {
  close(): Promise<void>
}

/** The parts that one opening has created so far. If it fails, they are closed, the newest first. */
export class OpenedParts {
  readonly #parts: Closable[] = []

  /** Adds a part that the opening has created. The parts of the host are not added: the host closes them. */
  add<Part extends Closable>(part: Part): Part {
    this.#parts.push(part)
    return part
  }

  /** Closes all parts. Ignores their errors: the error that ended the opening is the one to report. */
  async close(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) await part.close().catch(() => undefined)
  }
}
