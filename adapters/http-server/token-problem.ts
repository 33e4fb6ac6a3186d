import { TokenRequestError } from '../../src/index.js'
import { headersOf, problemOf, titleOf } from '../node-kit/index.js'

/** The answer to an error of an OAuth endpoint: the members of RFC 6749, section 5.2, and those of {@link problem}. */
export function tokenProblem(error: unknown, isBasic: boolean): Response {
  const { status: ownStatus, code, detail } = problemOf(error)
  const refusal = error instanceof TokenRequestError ? error.error : undefined
  const status = refusal === 'invalid_client' ? 401 : ownStatus
  const oauthError =
    refusal ?? (status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request')
  return Response.json(
    { error: oauthError, error_description: detail, type: 'about:blank', title: titleOf(status), status, detail, code },
    {
      status,
      headers: {
        'cache-control': 'no-store',
        ...headersOf(error),
        ...(status === 401 && isBasic && { 'www-authenticate': 'Basic realm="alcove", charset="UTF-8"' }),
      },
    },
  )
}
