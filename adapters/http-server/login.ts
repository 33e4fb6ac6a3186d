import type { Principal } from '../../src/index.js'
import type { RequestInfo } from './request-log.js'

/** The facts about a request that the host's login may use beside its headers. */
export interface LoginInfo extends Pick<RequestInfo, 'context' | 'remoteAddress'> {
  /** The id of the request. The answer has it in `x-request-id`, and the audit trail records it. */
  readonly requestId: string
}

/**
 * The host's own login: finds out who sends a request, by a cookie or any other header. It gets the request without its
 * body, so that it cannot use up an upload.
 *
 * @returns the principal; `undefined` if the login does not know the request
 */
export type Authenticate = (request: Request, info: LoginInfo) => Principal | undefined | Promise<Principal | undefined>
