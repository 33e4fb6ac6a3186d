import { setImmediate } from 'node:timers/promises'

/** Lets the event loop run between pieces of work. */
export class Turns {
  readonly #perTurn: number
  #done = 0

  /** @param perTurn the units of work that take about 5 ms */
  constructor(perTurn: number) {
    this.#perTurn = perTurn
  }

  /** Called after each piece of work: waits for a turn of the event loop if enough units are done. */
  async yieldAfter(units: number): Promise<void> {
    this.#done += units
    if (this.#done < this.#perTurn) return
    this.#done = 0
    await setImmediate()
  }
}
