/** A server-sent event, as a client reads it. */
export interface ReceivedEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads the events of an answer, one after the other. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''

  constructor({ body }: Response) {
    if (body === null) throw new Error('the answer has no body')
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** @returns the next event; undefined at the end of the stream */
  async next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        const [, event] = /^event: (.*)$/m.exec(block) ?? []
        const [, data = '{}'] = /^data: (.*)$/m.exec(block) ?? []
        if (event !== undefined) return { event, data: JSON.parse(data) as ReceivedEvent['data'] }
        continue
      }
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#text += value
    }
  }

  /** The events up to one that meets a condition, that one included. */
  async until(isLast: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = []
    for (;;) {
      const event = await this.next()
      if (event === undefined) throw new Error(`the stream has ended after ${JSON.stringify(events)}`)
      events.push(event)
      if (isLast(event)) return events
    }
  }
}
