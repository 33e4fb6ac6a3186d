import type { TokenErrorCode, TokenRequest } from '../../../src/index.js'
import { ThrottledError, TokenRequestError } from '../../../src/index.js'
import { secretJson } from '../answers.js'
import { HttpError, tokenProblem } from '../problem.js'
import { mediaType, readText } from '../read-body.js'
import { publicRoute, type Route } from '../route.js'
import { tokenProblemSchema, tokenSchema } from '../schemas.js'

const FORM = 'application/x-www-form-urlencoded'
const MOST_BYTES = 8_192

export const TOKEN_PATH = '/connect/token'

/** The token endpoint (specification, Authentication; RFC 6749, section 4.4). */
export const TOKEN_ROUTE: Route = publicRoute({
  api: 'system',
  method: 'POST',
  path: TOKEN_PATH,
  operationId: 'issueToken',
  summary: 'Exchange an API key for an access token',
  rawBody: {
    [FORM]: {
      type: 'object',
      required: ['grant_type', 'target_app'],
      properties: {
        grant_type: { const: 'client_credentials' },
        client_id: { type: 'string', description: 'Or by HTTP Basic' },
        client_secret: { type: 'string', description: 'Or by HTTP Basic' },
        target_app: { enum: ['assistant', 'tenant'] },
        account_id: { type: 'integer', minimum: 1, description: 'Scopes the token to one account' },
      },
    },
  },
  answers: {
    200: { description: 'The token', schema: tokenSchema },
    400: { description: 'The request is refused', schema: tokenProblemSchema },
    401: { description: 'The client is unknown, or its secret wrong', schema: tokenProblemSchema },
    408: { description: 'The form did not arrive within 30 seconds', schema: tokenProblemSchema },
    429: { description: 'Too many wrong secrets; wait', schema: tokenProblemSchema, hasRetryAfter: true },
    500: { description: 'An internal failure', schema: tokenProblemSchema },
    503: { description: 'Not available for the moment', schema: tokenProblemSchema },
  },
  handle: async ({ request, engine, origin, nameClient }) => {
    const authorization = request.headers.get('authorization')
    try {
      const asked = await readRequest(request, authorization)
      nameClient(asked.clientId)
      const token = await engine.authentication.issueToken(asked, origin)
      return secretJson(token)
    } catch (error) {
      // What fails inside is logged where all of that is.
      if (!(error instanceof TokenRequestError || error instanceof ThrottledError)) throw error
      return tokenProblem(error, authorization !== null)
    }
  },
})

async function readRequest(request: Request, authorization: string | null): Promise<TokenRequest> {
  if (mediaType(request) !== FORM) throw refusal('invalid_request', `the content type must be ${FORM}`)
  const form = parseForm(await readForm(request))
  const grant = form.get('grant_type')
  if (grant === undefined) throw refusal('invalid_request', 'grant_type is required')
  if (grant !== 'client_credentials') throw refusal('unsupported_grant_type', 'grant_type must be client_credentials')
  const targetApp = form.get('target_app')
  if (targetApp === undefined) throw refusal('invalid_request', 'target_app is required')
  const accountId = form.get('account_id')
  return {
    ...readCredentials(form, authorization),
    targetApp,
    ...(accountId !== undefined && { accountId: parseAccountId(accountId) }),
  }
}

async function readForm(request: Request): Promise<string> {
  try {
    return await readText(request, MOST_BYTES)
  } catch (error) {
    if (error instanceof HttpError && error.status === 408) throw error
    const problem =
      error instanceof HttpError ? `the form must have at most ${MOST_BYTES} bytes` : 'the form is not UTF-8'
    throw refusal('invalid_request', problem)
  }
}

/** A parameter without a value counts as omitted; none may come twice (RFC 6749, section 3.2). */
function parseForm(text: string): ReadonlyMap<string, string> {
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw refusal('invalid_request', `${printable(name)} must come once`)
    form.set(name, value)
  }
  for (const [name, value] of form) if (value === '') form.delete(name)
  return form
}

/** From the form or by HTTP Basic (RFC 6749, section 2.3.1), not both. */
function readCredentials(
  form: ReadonlyMap<string, string>,
  authorization: string | null,
): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
  const [formId, formSecret] = [form.get('client_id'), form.get('client_secret')]
  if (authorization !== null) {
    if (formId !== undefined || formSecret !== undefined) {
      throw refusal('invalid_request', 'client_id and client_secret must come by the form or by Basic, not both')
    }
    return readBasic(authorization)
  }
  if (formId === undefined) throw refusal('invalid_request', 'client_id is required')
  if (formSecret === undefined) throw refusal('invalid_request', 'client_secret is required')
  return { clientId: formId, clientSecret: formSecret }
}

function readBasic(authorization: string): Pick<TokenRequest, 'clientId' | 'clientSecret'> {
  const encoded = /^basic\s+([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw refusal('invalid_request', 'the header Authorization must be Basic with client id and secret')
  try {
    return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) }
  } catch {
    throw refusal('invalid_request', 'client id and secret must be form-encoded within Basic')
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function parseAccountId(text: string): number {
  const id = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw refusal('invalid_request', 'account_id must be a positive integer')
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 50))
}

function refusal(error: TokenErrorCode, description: string): TokenRequestError {
  return new TokenRequestError(error, description)
}
