import { ThrottledError, type TokenErrorCode, TokenRequestError } from '../../../src/index.js'
import { HttpError, mediaType, readText } from '../../node-kit/index.js'
import { type Answer, type Call, publicRoute, type Route } from '../route.js'
import { tokenProblemSchema } from '../schemas/problems.js'
import { tokenProblem } from '../token-problem.js'

/** The request of an OAuth client: its parameters by name. */
export type ClientForm = ReadonlyMap<string, string>

/** The parameters with the credentials of a client, for the description. */
export const CREDENTIAL_FIELDS = {
  client_id: { type: 'string', description: 'Required unless HTTP Basic is used' },
  client_secret: { type: 'string', description: 'Required unless HTTP Basic is used' },
} as const

const FORM = 'application/x-www-form-urlencoded'
const MAX_BYTES = 8_192

const REFUSALS: Readonly<Record<number, Answer>> = {
  400: { description: 'The request is not valid', schema: tokenProblemSchema },
  401: { description: 'The client is unknown, or its secret is wrong', schema: tokenProblemSchema },
  408: { description: 'The form did not arrive within 30 seconds', schema: tokenProblemSchema },
  429: {
    description: 'Too many wrong secrets; retry after the seconds in `Retry-After`',
    schema: tokenProblemSchema,
    hasRetryAfter: true,
  },
  500: { description: 'Internal failure', schema: tokenProblemSchema },
  503: { description: 'The service is not available now; retry later', schema: tokenProblemSchema },
}

type ClientRoute = Pick<Route, 'path' | 'operationId' | 'summary'> & {
  /** JSON Schema. */
  readonly form: object
  readonly answer: Answer
  readonly handle: (
    form: ClientForm,
    authorization: string | null,
    call: Call<unknown, unknown, unknown>,
  ) => Promise<Response>
}

/** An operation for OAuth clients: it takes a form, and its errors have the members of RFC 6749, section 5.2. */
export function clientRoute({ form: schema, answer, handle, ...route }: ClientRoute): Route {
  return publicRoute({
    ...route,
    api: 'system',
    method: 'POST',
    rawBody: { [FORM]: schema },
    answers: { 200: answer, ...REFUSALS },
    handle: async (call) => {
      const authorization = call.request.headers.get('authorization')
      try {
        return await handle(await readClientForm(call.request), authorization, call)
      } catch (error) {
        // The handler logs internal failures of all routes.
        if (!(error instanceof TokenRequestError || error instanceof ThrottledError)) throw error
        return tokenProblem(error, authorization !== null)
      }
    },
  })
}

/**
 * The parameters of a request. A parameter without a value counts as omitted; none may occur twice (RFC 6749,
 * section 3.2).
 *
 * @throws TokenRequestError `invalid_request`
 * @throws HttpError 408 if the form arrives too slowly
 */
async function readClientForm(request: Request): Promise<ClientForm> {
  if (mediaType(request) !== FORM) throw tokenRefusal('invalid_request', `the content type must be ${FORM}`)
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(await readForm(request))) {
    if (form.has(name)) throw tokenRefusal('invalid_request', `${printable(name)} must occur only once`)
    form.set(name, value)
  }
  for (const [name, value] of form) if (value === '') form.delete(name)
  return form
}

async function readForm(request: Request): Promise<string> {
  try {
    return await readText(request, MAX_BYTES)
  } catch (error) {
    if (error instanceof HttpError && error.status === 408) throw error
    const problem =
      error instanceof HttpError ? `the form must have at most ${MAX_BYTES} bytes` : 'the form is not UTF-8'
    throw tokenRefusal('invalid_request', problem)
  }
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 50))
}

/** The value of a required parameter. @throws TokenRequestError if it is missing */
export function requireField(form: ClientForm, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw tokenRefusal('invalid_request', `${name} is required`)
  return value
}

/** The id and the secret of an API key. */
interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** Reads credentials from the form or from HTTP Basic (RFC 6749, section 2.3.1). @throws TokenRequestError for both */
export function readCredentials(form: ClientForm, authorization: string | null): Credentials {
  if (authorization === null) {
    return { clientId: requireField(form, 'client_id'), clientSecret: requireField(form, 'client_secret') }
  }
  if (form.has('client_id') || form.has('client_secret')) {
    throw tokenRefusal('invalid_request', 'send client_id and client_secret in the form or by HTTP Basic, not both')
  }
  return readBasic(authorization)
}

function readBasic(authorization: string): Credentials {
  const encoded = /^basic\s+([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1)
    throw tokenRefusal('invalid_request', 'the header Authorization must be Basic, with client id and secret')
  try {
    return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) }
  } catch {
    throw tokenRefusal('invalid_request', 'client id and secret must be form-encoded inside HTTP Basic')
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

export function tokenRefusal(error: TokenErrorCode, description: string): TokenRequestError {
  return new TokenRequestError(error, description)
}
