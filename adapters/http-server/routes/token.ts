import { secretJson } from '../answers.js'
import { clientRoute } from '../client-route.js'
import { CREDENTIAL_FIELDS, readCredentials, requireField, tokenRefusal } from '../read-client-form.js'
import type { Route } from '../route.js'
import { tokenSchema } from '../schemas.js'

export const TOKEN_PATH = '/connect/token'

/** The token endpoint (RFC 6749, section 4.4). Specification: Authentication. */
export const TOKEN_ROUTE: Route = clientRoute({
  path: TOKEN_PATH,
  operationId: 'issueToken',
  summary: 'Exchange an API key for an access token',
  form: {
    type: 'object',
    required: ['grant_type', 'target_app'],
    properties: {
      grant_type: { const: 'client_credentials' },
      ...CREDENTIAL_FIELDS,
      target_app: { enum: ['assistant', 'tenant'] },
      account_id: { type: 'integer', minimum: 1, description: 'Limits the token to one account' },
      scope: { type: 'string', description: 'Limits the token to these capabilities, separated by spaces' },
    },
  },
  answer: { description: 'The token', schema: tokenSchema },
  handle: async (form, authorization, { engine, origin, nameClient }) => {
    if (requireField(form, 'grant_type') !== 'client_credentials') {
      throw tokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials')
    }
    const targetApp = requireField(form, 'target_app')
    const accountId = form.get('account_id')
    const scope = form.get('scope')
    const tokenRequest = {
      ...readCredentials(form, authorization),
      targetApp,
      ...(accountId !== undefined && { accountId: parseAccountId(accountId) }),
      ...(scope !== undefined && { scope }),
    }
    nameClient(tokenRequest.clientId)
    return secretJson(await engine.authentication.issueToken(tokenRequest, origin))
  },
})

function parseAccountId(text: string): number {
  const id = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw tokenRefusal('invalid_request', 'account_id must be a positive integer')
}
