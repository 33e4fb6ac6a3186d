/** Passes items on in their order, to a waiting or a later call of `take`. */
export class Mailbox<Item> {
  readonly #items: Item[] = []
  readonly #waiting: ((item: Item) => void)[] = []

  put(item: Item): void {
    const receive = this.#waiting.shift()
    if (receive === undefined) this.#items.push(item)
    else receive(item)
  }

  async take(): Promise<Item> {
    if (this.#items.length > 0) return this.#items.shift() as Item
    return await new Promise((resolve) => this.#waiting.push(resolve))
  }
}
