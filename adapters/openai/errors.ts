import { ModelError, retryAfterMs, VectorInvalidError } from '../../src/ports/index.js'
import { serverWords } from '../node-kit/index.js'

/** A failure of one request. */
export interface RequestFailure {
  readonly error: ModelError | VectorInvalidError
  /** True if fewer texts in one request may help. */
  readonly isForBatch: boolean
  /** True if the failure says nothing about the request: the server is away. */
  readonly isClear: boolean
  /** True if the request took longer than its deadline. */
  readonly isTimeout?: boolean
  /** The pause that the server wishes, in milliseconds. */
  readonly wishMs?: number | undefined
}

/** An answer that is not a success, as far as errors need it. */
export interface FailedAnswer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: string
}

const TOO_LONG =
  /context (length|window|size)|too long|too large|too many (input )?tokens|(must have|has) (less|more) than|input length|maximum .{0,20}(length|tokens)|max[_ ]?(tokens|model_len|length)/i
const TRANSIENT: ReadonlySet<number> = new Set([
  408, 409, 423, 424, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
])
/** Statuses that a batch may have caused: a wrong input, one that is too large, or one that cannot be processed. */
const MAY_BE_BATCH: ReadonlySet<number> = new Set([400, 413, 422])

/** Says in one sentence what a server's answer means. */
export function toFailure({ status, retryAfter, body }: FailedAnswer, place: Place): RequestFailure {
  const words = serverWords(body, place.secrets)
  const said = words === '' ? '' : `: ${words}`
  if (/unsupported value: (NaN|[+-]?Inf)/i.test(words)) {
    return permanent(new VectorInvalidError(`${place.server} computed a vector that is not finite`))
  }
  if (TRANSIENT.has(status) || status >= 500) {
    const wishMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, new Date()) : undefined
    const isClear = status === 429 || status === 503
    const message = `${place.server} answered with ${status}${said}`
    return { error: unavailable(message, wishMs), isForBatch: false, isClear, wishMs }
  }
  if (status === 401 || status === 403) {
    // The server's words may contain a part of the key.
    return refused(`${place.server} refuses the key (${status}): check it (--embedding-key-file)`)
  }
  if (status === 404) {
    const advice = 'check the model and the base URL, which usually ends in /v1'
    return refused(`${place.server} has no model ${place.model}, or no embeddings (404): ${advice}${said}`)
  }
  if (status >= 300 && status < 400) {
    return refused(`${place.server} redirects to another address (${status}): give that one as the base URL`)
  }
  if (MAY_BE_BATCH.has(status) && TOO_LONG.test(words)) {
    const advice = 'set a smaller window (windowTokens, --embedding-window), then process the document again'
    return refused(`a text is too long for the model ${place.model}: ${advice}${said}`, true)
  }
  return refused(`${place.server} refuses the request (${status})${said}`, MAY_BE_BATCH.has(status))
}

/** The server and the model of a request, for messages. */
export interface Place {
  /** Such as `the embedding server at http://127.0.0.1:11434/v1/embeddings`. */
  readonly server: string
  readonly model: string
  /** Texts that no message may contain. */
  readonly secrets: readonly string[]
}

export function unavailable(message: string, retryAfterMs?: number, cause?: unknown): ModelError {
  return new ModelError('ERR_MODEL_UNAVAILABLE', message, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(cause !== undefined && { cause }),
  })
}

export function permanent(error: ModelError | VectorInvalidError): RequestFailure {
  return { error, isForBatch: false, isClear: false }
}

/** An answer that is not one of this protocol. */
export function notTheProtocol(place: Place, problem: string): RequestFailure {
  const advice = 'check the base URL, which usually ends in /v1'
  return permanent(new ModelError('ERR_MODEL_UNSUPPORTED', `${place.server} ${problem}: ${advice}`))
}

function refused(message: string, isForBatch = false): RequestFailure {
  return { error: new ModelError('ERR_MODEL_REFUSED', message), isForBatch, isClear: false }
}
