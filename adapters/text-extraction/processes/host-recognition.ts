import { ExtractionError, type RecognizedText } from '../../../src/ports/index.js'
import type { Recognition } from '../readers/reader.js'
import type { HostMessage, PicturePart } from './extraction-protocol.js'

/** The most bytes in one message. Copying more would block the host's event loop. */
const MAX_PART_BYTES = 262_144

type Answer = HostMessage & { readonly type: 'recognized' | 'unrecognized' }

/** The side of the reading thread: it sends pictures to the host, and gets their text. */
export class HostRecognition implements Recognition {
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(
    readonly atOnce: number,
    private readonly send: (part: PicturePart) => void,
  ) {}

  async recognize(picture: Uint8Array): Promise<RecognizedText> {
    this.#lastId += 1
    const id = this.#lastId
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    let at = 0
    do {
      const bytes = picture.slice(at, at + MAX_PART_BYTES)
      at += MAX_PART_BYTES
      this.send({ type: 'picture', id, bytes, isLast: at >= picture.length })
    } while (at < picture.length)
    const answer = await answered
    if (answer.type === 'unrecognized') throw new ExtractionError(answer.code, answer.message)
    return { text: answer.text, confidence: answer.confidence }
  }

  receive(answer: Answer): void {
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }
}
