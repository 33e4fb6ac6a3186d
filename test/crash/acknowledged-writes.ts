import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { SEED, seededRandom } from '../seeded-random.js'

const random = seededRandom(SEED)

type Message = Partial<Record<'added' | 'deleting' | 'deleted', number>>

/** Documents whose writes to an index killed children have acknowledged. */
export class AcknowledgedWrites {
  readonly #added = new Set<number>()
  readonly #deleting = new Set<number>()
  readonly #deleted = new Set<number>()
  #next = 1

  /**
   * Lets a child write until it has added some more documents, and kills it within half a second.
   * @param program in this folder; its arguments are the index's folder, the first id, and where maintenance runs:
   * `here` or `apart`
   */
  async untilKilled(program: string, folder: string, round: number): Promise<void> {
    const work = [folder, String(this.#next), round % 2 === 0 ? 'here' : 'apart']
    const child = fork(join(import.meta.dirname, program), work, { stdio: 'inherit' })
    child.on('message', (message: Message) => {
      if (message.added !== undefined) this.#added.add(message.added)
      if (message.deleting !== undefined) this.#deleting.add(message.deleting)
      if (message.deleted !== undefined) this.#deleted.add(message.deleted)
    })
    const known = this.#added.size
    while (this.#added.size < known + 20 + 25 * round) await once(child, 'message')
    await setTimeout(random() * 500)
    child.kill('SIGKILL')
    await once(child, 'exit')
    this.#next = Math.max(0, ...this.#added) + 1_000
  }

  /** All acknowledged documents exist and are complete; no document exists whose deletion was acknowledged. */
  expectIn(counts: ReadonlyMap<number, number>, rowsOf: (id: number) => number): void {
    for (const [id, rows] of counts) expect([id, rows]).toEqual([id, rowsOf(id)])
    for (const id of this.#added) if (!this.#deleting.has(id)) expect(counts.has(id)).toBe(true)
    for (const id of this.#deleted) expect(counts.has(id)).toBe(false)
  }
}
