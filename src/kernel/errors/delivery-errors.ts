import { AlcoveError, type ErrorDetails } from './alcove-error.js'
import { InvalidInputError } from './call-errors.js'

/** A mail could not be sent. */
export class MailError extends AlcoveError {
  static override readonly className: string = 'MailError'
  readonly code = 'ERR_MAIL'
  override readonly isTransient: boolean

  constructor(message: string, options: { readonly cause?: unknown; readonly isTransient: boolean }) {
    super(message, options)
    this.isTransient = options.isTransient
  }
}

/** The stored bytes of an event are damaged. */
export class PayloadCorruptError extends AlcoveError {
  static override readonly className: string = 'PayloadCorruptError'
  readonly code = 'ERR_PAYLOAD_CORRUPT'
}

/** The engine must not contact a destination: its name, its port or one of its addresses is not public. */
export class DestinationRefusedError extends AlcoveError {
  static override readonly className: string = 'DestinationRefusedError'
  readonly code = 'ERR_DESTINATION_REFUSED'
  /** True where a look-up of the name is the reason. False where the URL itself is the reason. */
  readonly isByLookUp: boolean

  constructor(message: string, options: ErrorDetails & { readonly isByLookUp?: boolean } = {}) {
    super(message, options)
    this.isByLookUp = options.isByLookUp ?? false
  }
}

/** The name in a destination's URL does not resolve to any address at present. */
export class UnresolvedDestinationError extends InvalidInputError {
  static override readonly className: string = 'UnresolvedDestinationError'
}

/** A request to a receiver does not have the signature of its body. Answer it with 401. */
export class WebhookSignatureError extends AlcoveError {
  static override readonly className: string = 'WebhookSignatureError'
  readonly code = 'ERR_WEBHOOK_SIGNATURE'
}

/** A webhook has a valid signature, but its body is not an event. Answer it with 400. */
export class WebhookMalformedError extends AlcoveError {
  static override readonly className: string = 'WebhookMalformedError'
  readonly code = 'ERR_WEBHOOK_MALFORMED'
}
