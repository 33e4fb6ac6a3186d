import type { VerifyProgress } from '../../src/index.js'

/** The least time between two updates. More frequent updates cannot be read. */
const EVERY_MS = 100

/** Shows the progress of a verification on one line of a terminal. Clears the line at the end. */
export class DoctorProgress {
  #shownAt = -Infinity

  show({ stage, documents, total }: VerifyProgress): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#shownAt < EVERY_MS) return
    this.#shownAt = now
    const state = stage === 'checking' ? 'documents checked' : `of ${total ?? 0} documents processed again`
    process.stderr.write(`\r\u001b[K${documents} ${state}`)
  }

  stop(): void {
    if (this.#shownAt === -Infinity) return
    process.stderr.write('\r\u001b[K')
    this.#shownAt = -Infinity
  }
}
