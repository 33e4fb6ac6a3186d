import type { VerifyProgress } from '../../src/index.js'

/** More often is no news to anybody. */
const EVERY_MS = 100

/** Tells on a terminal how far a verification is, on one line that goes away. */
export class DoctorProgress {
  #toldAt = -Infinity

  show({ stage, documents, total }: VerifyProgress): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#toldAt < EVERY_MS) return
    this.#toldAt = now
    const what = stage === 'checking' ? 'documents checked' : `of ${total ?? 0} documents processed again`
    process.stderr.write(`\r\u001b[K${documents} ${what}`)
  }

  stop(): void {
    if (this.#toldAt === -Infinity) return
    process.stderr.write('\r\u001b[K')
    this.#toldAt = -Infinity
  }
}
