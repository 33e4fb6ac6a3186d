import pLimit, { type LimitFunction } from 'p-limit'
import type { TextRecognizer } from '../../../src/ports/index.js'

/** A recogniser with the places of its pictures, which all files share in turn. */
export class RecognizerPlaces {
  /** The number of pictures that are read at the same time. */
  readonly atOnce: number
  /** A picture has such a place while the host has its bytes: one more than are read, so that the recogniser never waits. */
  readonly holding: LimitFunction
  readonly reading: LimitFunction

  constructor(readonly recognizer: TextRecognizer) {
    this.atOnce = recognizer.concurrency ?? 1
    this.holding = pLimit(this.atOnce + 1)
    this.reading = pLimit(this.atOnce)
  }
}
