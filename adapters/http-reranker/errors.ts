import { ModelError, retryAfterMs } from '../../src/ports/index.js'
import { serverWords } from '../node-kit/index.js'

/** The server of a request, for messages. */
export interface Place {
  /** Such as `the reranker at http://127.0.0.1:8000/v1/rerank`. */
  readonly server: string
  /** Texts that no message may contain. */
  readonly secrets: readonly string[]
}

/** An answer that is not a success. */
export interface FailedAnswer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: string
}

/** A request that the server did not take. Another form of it may help. */
export class RefusedRequest extends Error {
  /**
   * @param texts those of the request
   * @param changes number of changes of the form before the request
   */
  constructor(
    readonly answer: FailedAnswer,
    readonly texts: readonly string[],
    readonly changes: number,
  ) {
    super(`the server answered with ${answer.status}`)
  }
}

/** Units of a text that show that a message quotes it. */
const QUOTED = 20

/**
 * Says in one sentence what a server's answer means.
 *
 * @param sent the texts of the request. The server's words are left out if they quote one of them
 */
export function toError({ status, retryAfter, body }: FailedAnswer, place: Place, sent: readonly string[]): ModelError {
  const words = serverWords(body, place.secrets)
  const isQuoting = sent.some((text) => text.trim() !== '' && words.includes(text.trim().slice(0, QUOTED)))
  const said = words === '' || isQuoting ? '' : `: ${words}`
  if (status === 429 || status === 408 || status >= 500) {
    const pauseMs = retryAfterMs(retryAfter, new Date())
    return unavailable(
      `${place.server} answered with ${status}${said}`,
      pauseMs === undefined ? {} : { retryAfterMs: pauseMs },
    )
  }
  // The server's words may contain a part of the key.
  if (status === 401 || status === 403) return refused(`${place.server} refuses the key (${status}): check it`)
  if (status === 404) return refused(`${place.server} has no such model, or no reranking (404)${said}`)
  if (status >= 300 && status < 400) {
    return refused(`${place.server} redirects to another address (${status}): give that one as the base URL`)
  }
  return refused(`${place.server} refuses the request (${status})${said}`)
}

export function unavailable(message: string, options: ConstructorParameters<typeof ModelError>[2] = {}): ModelError {
  return new ModelError('ERR_MODEL_UNAVAILABLE', message, options)
}

/** An answer that is not one of this protocol. */
export function notTheProtocol({ server }: Place, problem: string): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `${server} ${problem}: check the base URL, such as http://127.0.0.1:8000/v1`,
  )
}

function refused(message: string): ModelError {
  return new ModelError('ERR_MODEL_REFUSED', message)
}
