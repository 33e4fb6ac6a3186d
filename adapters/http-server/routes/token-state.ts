import { secretJson } from '../answers.js'
import { clientRoute } from '../client-route.js'
import { type ClientForm, CREDENTIAL_FIELDS, readCredentials, requireField } from '../read-client-form.js'
import type { Call, Route } from '../route.js'
import { introspectionSchema } from '../schemas.js'

export const REVOCATION_PATH = '/connect/revoke'
export const INTROSPECTION_PATH = '/connect/introspect'

const FORM_SCHEMA = {
  type: 'object',
  required: ['token'],
  properties: {
    token: { type: 'string' },
    token_type_hint: { type: 'string', description: 'Optional; ignored, because all tokens are access tokens' },
    ...CREDENTIAL_FIELDS,
  },
}

/** Revocation (RFC 7009) and introspection (RFC 7662) of access tokens. */
export const TOKEN_STATE_ROUTES: readonly Route[] = [
  clientRoute({
    path: REVOCATION_PATH,
    operationId: 'revokeToken',
    summary: 'Revoke an access token of the client',
    form: FORM_SCHEMA,
    answer: { description: 'The token is no longer valid, or never was' },
    handle: async (form, authorization, call) => {
      const { engine, origin } = call
      await engine.authentication.revokeToken(readRequest(form, authorization, call), origin)
      return new Response(null, { status: 200 })
    },
  }),
  clientRoute({
    path: INTROSPECTION_PATH,
    operationId: 'introspectToken',
    summary: 'Get the state of an access token, for resource servers',
    form: FORM_SCHEMA,
    answer: { description: 'The state of the token', schema: introspectionSchema },
    handle: async (form, authorization, call) => {
      const { engine, origin } = call
      return secretJson(await engine.authentication.introspectToken(readRequest(form, authorization, call), origin))
    },
  }),
]

function readRequest(
  form: ClientForm,
  authorization: string | null,
  { nameClient }: Pick<Call<unknown, unknown, unknown>, 'nameClient'>,
) {
  const credentials = readCredentials(form, authorization)
  nameClient(credentials.clientId)
  return { ...credentials, token: requireField(form, 'token') }
}
