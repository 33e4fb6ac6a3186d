import { type TokenErrorCode, TokenRequestError } from '../../src/index.js'
import { HttpError } from './problem.js'
import { mediaType, readText } from './read-body.js'

export const FORM = 'application/x-www-form-urlencoded'
const MOST_BYTES = 8_192

/** Id and secret of an API key. */
interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** A request of a client of OAuth: its parameters by name. */
export type ClientForm = ReadonlyMap<string, string>

/** Parameters by which a client may say who it is, for the description. */
export const CREDENTIAL_FIELDS = {
  client_id: { type: 'string', description: 'Or by HTTP Basic' },
  client_secret: { type: 'string', description: 'Or by HTTP Basic' },
} as const

/**
 * The parameters of a request. One without a value counts as omitted; none may come twice (RFC 6749, section 3.2).
 *
 * @throws TokenRequestError `invalid_request` @throws HttpError where the form comes too slowly
 */
export async function readClientForm(request: Request): Promise<ClientForm> {
  if (mediaType(request) !== FORM) throw tokenRefusal('invalid_request', `the content type must be ${FORM}`)
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(await readForm(request))) {
    if (form.has(name)) throw tokenRefusal('invalid_request', `${printable(name)} must come once`)
    form.set(name, value)
  }
  for (const [name, value] of form) if (value === '') form.delete(name)
  return form
}

/** A parameter that has to be there. @throws TokenRequestError */
export function requireField(form: ClientForm, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw tokenRefusal('invalid_request', `${name} is required`)
  return value
}

/** From the form or by HTTP Basic (RFC 6749, section 2.3.1), not both. @throws TokenRequestError */
export function readCredentials(form: ClientForm, authorization: string | null): Credentials {
  if (authorization === null) {
    return { clientId: requireField(form, 'client_id'), clientSecret: requireField(form, 'client_secret') }
  }
  if (form.has('client_id') || form.has('client_secret')) {
    throw tokenRefusal('invalid_request', 'client_id and client_secret must come by the form or by Basic, not both')
  }
  return readBasic(authorization)
}

export function tokenRefusal(error: TokenErrorCode, description: string): TokenRequestError {
  return new TokenRequestError(error, description)
}

async function readForm(request: Request): Promise<string> {
  try {
    return await readText(request, MOST_BYTES)
  } catch (error) {
    if (error instanceof HttpError && error.status === 408) throw error
    const problem =
      error instanceof HttpError ? `the form must have at most ${MOST_BYTES} bytes` : 'the form is not UTF-8'
    throw tokenRefusal('invalid_request', problem)
  }
}

function readBasic(authorization: string): Credentials {
  const encoded = /^basic\s+([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1)
    throw tokenRefusal('invalid_request', 'the header Authorization must be Basic with client id and secret')
  try {
    return { clientId: formDecode(text.slice(0, colon)), clientSecret: formDecode(text.slice(colon + 1)) }
  } catch {
    throw tokenRefusal('invalid_request', 'client id and secret must be form-encoded within Basic')
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 50))
}
