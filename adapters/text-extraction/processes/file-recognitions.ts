import {
  asError,
  ExtractionError,
  type RecognizedText,
  StorageError,
  untilAborted,
  withAnySignal,
} from '../../../src/ports/index.js'
import { type ExtractionLimits, recognitionTimeoutOf } from '../extraction-limits.js'
import { isPictureTooLarge, pictureTooLarge } from '../readers/picture/picture-size.js'
import type { HostMessage, PictureMessage } from './extraction-protocol.js'
import type { RecognizerPlaces } from './recognizer-places.js'

/** A picture that has a place in the host. */
interface HeldPicture {
  readonly id: number
  readonly bytes: Buffer
  /** The number of bytes that are here. */
  length: number
  /** Gives its place back. */
  readonly free: () => void
}

/**
 * The host's side of the pictures of one file: it fetches them, gives them to the recogniser, and gives their text to the
 * reading thread. The host asks for the bytes of a picture when a place is free.
 */
export class FileRecognitions {
  readonly #arriving = new Map<number, HeldPicture>()
  /** Waits for a place, and pictures that are being read. The reading thread cannot shorten them. */
  readonly #running = new Set<Promise<unknown>>()
  readonly #ending = new AbortController()
  #failure: Error | undefined
  /** The pictures whose bytes were asked for, and the time in which pictures were read. */
  #begun = 0
  #spentMs = 0

  /** @param post sends a message to the reading thread */
  constructor(
    private readonly places: RecognizerPlaces,
    private readonly limits: ExtractionLimits,
    private readonly post: (message: HostMessage) => void,
  ) {}

  receive(message: PictureMessage): void {
    if (message.type === 'picture') this.#announce(message)
    else this.#addBytes(message)
  }

  /**
   * Waits until the next message of the reading thread is here, or until no picture waits or is being read. This time is
   * not that of the thread: the recogniser has limits of its own.
   *
   * @throws the error of a recogniser that does not work; the reason of the signal
   */
  async untilIdleOr(next: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
    const arrived = next.then(() => true)
    while (this.#running.size > 0) {
      const isHere = await untilAborted(Promise.race([arrived, ...this.#running]), signal)
      if (isHere === true) break
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Stops reading the pictures of the file. */
  abort(): void {
    this.#ending.abort(new Error('the file is no longer read'))
    for (const { free } of this.#arriving.values()) free()
    this.#arriving.clear()
  }

  /** Asks for the bytes of a picture as soon as it has a place. */
  #announce({ id, sizeBytes }: PictureMessage & { readonly type: 'picture' }): void {
    if (isPictureTooLarge(sizeBytes)) {
      this.#refuse(id, pictureTooLarge())
      return
    }
    let free = (): void => undefined
    const isDone = new Promise<void>((resolve) => {
      free = resolve
    })
    const hasPlace = new Promise<void>((resolve) => {
      void this.places.holding(async () => {
        resolve()
        await isDone
      })
    })
    this.#run(
      hasPlace.then(() => {
        if (this.#ending.signal.aborted) free()
        else this.#fetch({ id, bytes: Buffer.allocUnsafe(sizeBytes), length: 0, free })
      }),
    )
  }

  #fetch(picture: HeldPicture): void {
    if (this.#spentMs > recognitionTimeoutOf(this.limits, this.#begun)) {
      picture.free()
      this.#refuse(picture.id, tooSlow(), true)
      return
    }
    this.#begun += 1
    this.#arriving.set(picture.id, picture)
    this.post({ type: 'pull-picture', id: picture.id })
  }

  /** Takes the next bytes of a picture. Begins to read it when it is whole. */
  #addBytes({ id, bytes }: PictureMessage & { readonly type: 'picture-bytes' }): void {
    const picture = this.#arriving.get(id)
    // A picture of an earlier file.
    if (picture === undefined) return
    picture.bytes.set(bytes.subarray(0, picture.bytes.length - picture.length), picture.length)
    picture.length += bytes.length
    if (picture.length < picture.bytes.length) {
      this.post({ type: 'pull-picture', id })
      return
    }
    this.#arriving.delete(id)
    this.#run(this.#recognize(picture).finally(picture.free))
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #recognize({ id, bytes }: HeldPicture): Promise<void> {
    const { signal } = this.#ending
    try {
      const recognized = await this.places.reading(async () => {
        signal.throwIfAborted()
        return await this.#read(bytes)
      })
      this.post({ type: 'recognized', id, ...recognized })
    } catch (error) {
      if (signal.aborted) return
      // An error of another kind says nothing about the picture: the job is retried.
      if (error instanceof ExtractionError) this.#refuse(id, error)
      else this.#failure ??= asError(error)
    }
  }

  /** Also ends the wait for a recogniser that does not end itself. */
  async #read(bytes: Buffer): Promise<RecognizedText> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(noAnswer(this.limits)), this.limits.pictureTimeoutMs)
    const startedAt = performance.now()
    try {
      return await withAnySignal([this.#ending.signal, late.signal], async (signal) => {
        return await untilAborted(this.places.recognizer.recognize(bytes, { signal }), signal)
      })
    } finally {
      clearTimeout(timer)
      this.#spentMs += performance.now() - startedAt
    }
  }

  /** @param isOver true if no other picture of the file is read */
  #refuse(id: number, { code, message }: ExtractionError, isOver = false): void {
    this.post({ type: 'unrecognized', id, code, message, isOver })
  }
}

function tooSlow(): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_TIMEOUT',
    'Recognising the text in the pictures of the file takes too long: split the file, or use smaller pictures',
  )
}

/** The picture may be good. */
function noAnswer({ pictureTimeoutMs }: ExtractionLimits): StorageError {
  const message = `the recogniser returned no text of a picture for ${pictureTimeoutMs / 1_000} seconds: the job is retried`
  return new StorageError(message, { isTransient: true })
}
