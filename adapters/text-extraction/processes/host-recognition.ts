import { ExtractionError, type RecognizedText } from '../../../src/ports/index.js'
import type { Recognition } from '../readers/reader.js'
import type { HostMessage, PictureMessage } from './extraction-protocol.js'

/** The most bytes in one message. Copying more would block the host's event loop. */
const MAX_PART_BYTES = 262_144

type Answer = HostMessage & { readonly type: 'recognized' | 'unrecognized' }
type Request = HostMessage & { readonly type: 'pull-picture' }

interface WaitingPicture {
  readonly bytes: Uint8Array
  /** The number of bytes that were sent. */
  sent: number
  readonly receive: (answer: Answer) => void
}

/** Counts over all files: late messages about a file say nothing about the next one. */
let lastId = 0

/** The side of the reading thread: it announces pictures to the host, sends their bytes on demand, and gets their text. */
export class HostRecognition implements Recognition {
  readonly #waiting = new Map<number, WaitingPicture>()
  #isOver = false

  constructor(
    readonly atOnce: number,
    private readonly send: (message: PictureMessage) => void,
  ) {}

  get isOver(): boolean {
    return this.#isOver
  }

  async recognize(picture: Uint8Array): Promise<RecognizedText> {
    lastId += 1
    const id = lastId
    const answered = new Promise<Answer>((receive) => this.#waiting.set(id, { bytes: picture, sent: 0, receive }))
    this.send({ type: 'picture', id, sizeBytes: picture.length })
    const answer = await answered
    if (answer.type === 'unrecognized') {
      this.#isOver ||= answer.isOver
      throw new ExtractionError(answer.code, answer.message)
    }
    return { text: answer.text, confidence: answer.confidence }
  }

  receive(message: Answer | Request): void {
    const picture = this.#waiting.get(message.id)
    if (picture === undefined) return
    if (message.type === 'pull-picture') {
      // A copy: a message with a part of a buffer takes the whole buffer along.
      const bytes = new Uint8Array(picture.bytes.subarray(picture.sent, picture.sent + MAX_PART_BYTES))
      picture.sent += bytes.length
      this.send({ type: 'picture-bytes', id: message.id, bytes })
      return
    }
    this.#waiting.delete(message.id)
    picture.receive(message)
  }
}
