import { ForbiddenError, UnauthenticatedError } from '../../../src/index.js'
import { problem } from '../../node-kit/index.js'

/** The capabilities that the tools need. Clients ask for a token with these alone. */
export const NEEDED_SCOPE = 'context:read search'

/**
 * The answer to an error before the protocol begins: the problem document of the REST API.
 * @param metadataUrl URL of the metadata that says where tokens come from; undefined if there is none
 */
export function refusal(error: unknown, metadataUrl: string | undefined): Response {
  const answer = problem(error)
  const challenge = challengeOf(error, answer.status, metadataUrl)
  if (challenge !== undefined) answer.headers.set('www-authenticate', challenge)
  return answer
}

/** Says where to get a token: RFC 6750, section 3, and RFC 9728, section 5.1. */
function challengeOf(error: unknown, status: number, metadataUrl: string | undefined): string | undefined {
  const place = metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]
  if (status === 401) {
    const cause = error instanceof UnauthenticatedError ? ['error="invalid_token"'] : []
    return `Bearer ${[...cause, `scope="${NEEDED_SCOPE}"`, ...place].join(', ')}`
  }
  if (!(error instanceof ForbiddenError) || error.scope === undefined) return undefined
  return `Bearer ${['error="insufficient_scope"', `scope="${error.scope}"`, ...place].join(', ')}`
}
