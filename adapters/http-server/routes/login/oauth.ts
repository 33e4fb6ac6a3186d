import { CAPABILITIES } from '../../../../src/index.js'
import { type PublicUrl, serviceUrl } from '../../../node-kit/index.js'
import { publicDocument, secretJson } from '../../answers.js'
import { type Call, publicRoute, type Route } from '../../route.js'
import { tokenProblemSchema } from '../../schemas/problems.js'
import { introspectionSchema, keySetSchema, serverMetadataSchema, tokenSchema } from '../../schemas/tokens.js'
import { tokenProblem } from '../../token-problem.js'
import {
  type ClientForm,
  CREDENTIAL_FIELDS,
  clientRoute,
  readCredentials,
  requireField,
  tokenRefusal,
} from '../client-route.js'

export const TOKEN_PATH = '/connect/token'
export const REVOCATION_PATH = '/connect/revoke'
export const INTROSPECTION_PATH = '/connect/introspect'
const AUTHORIZATION_PATH = '/connect/authorize'
const KEY_SET_PATH = '/.well-known/jwks.json'

/** The token endpoint (RFC 6749, section 4.4). Specification: Authentication. */
export const TOKEN_ROUTE: Route = clientRoute({
  path: TOKEN_PATH,
  operationId: 'issueToken',
  summary: 'Exchange an API key for an access token',
  form: {
    type: 'object',
    required: ['grant_type'],
    properties: {
      grant_type: { const: 'client_credentials' },
      ...CREDENTIAL_FIELDS,
      target_app: { enum: ['assistant', 'tenant'], description: 'Required without `resource`' },
      resource: {
        type: 'string',
        description:
          'The URL of the endpoint of agents (RFC 8707). The token is then for `assistant`, unless `target_app` says otherwise',
      },
      account_id: { type: 'integer', minimum: 1, description: 'Limits the token to one account' },
      scope: { type: 'string', description: 'Limits the token to these capabilities, separated by spaces' },
    },
  },
  answer: { description: 'The token', schema: tokenSchema },
  handle: async (form, authorization, { engine, origin, nameClient }) => {
    if (requireField(form, 'grant_type') !== 'client_credentials') {
      throw tokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials')
    }
    // Clients of agents know no applications: they name the endpoint.
    const hasResource = form.has('resource')
    const targetApp = hasResource ? (form.get('target_app') ?? 'assistant') : requireField(form, 'target_app')
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

/** A new key signs tokens at once, so caches must not keep the old set for long. */
const KEY_SET_SECONDS = 60
const METADATA_SECONDS = 300

const DOCUMENT_ROUTES: readonly Route[] = [
  publicRoute({
    api: 'system',
    method: 'GET',
    path: KEY_SET_PATH,
    operationId: 'getKeySet',
    summary: 'Get the public keys that verify access tokens',
    answers: { 200: { description: 'A JSON Web Key Set (RFC 7517)', schema: keySetSchema } },
    handle: async ({ engine }) => {
      const keys = await engine.authentication.publicKeys()
      return publicDocument({ keys }, `public, max-age=${KEY_SET_SECONDS}`)
    },
  }),
  publicRoute({
    api: 'system',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operationId: 'getServerMetadata',
    summary: 'Get the metadata that tells clients how to get access tokens',
    answers: { 200: { description: 'Authorization server metadata (RFC 8414)', schema: serverMetadataSchema } },
    handle: ({ engine, options, request, basePath }) => {
      const address = addressOf(engine.authentication.issuer, options.publicUrl, { request, basePath })
      return publicDocument(describeServer(address), address.isSet ? `public, max-age=${METADATA_SECONDS}` : 'no-store')
    },
  }),
]

/** Libraries of clients refuse metadata without this endpoint, also for grants that do not use it. */
const AUTHORIZATION_ROUTE: Route = publicRoute({
  api: 'system',
  method: 'GET',
  path: AUTHORIZATION_PATH,
  operationId: 'authorize',
  summary: 'Refuse a login in a browser: clients have API keys',
  answers: { 400: { description: 'The only grant is `client_credentials`', schema: tokenProblemSchema } },
  handle: () => {
    const detail = `nobody logs in here: exchange an API key by POST ${TOKEN_PATH} with grant_type client_credentials`
    return tokenProblem(tokenRefusal('unauthorized_client', detail), false)
  },
})

/** The facts about tokens that clients and resource servers read first. */
export const WELL_KNOWN_ROUTES: readonly Route[] = [AUTHORIZATION_ROUTE, ...DOCUMENT_ROUTES]

/** The URLs of a service for its metadata. */
interface ServiceAddress {
  /** The issuer identifier. */
  readonly issuer: string
  /** The prefix of every path, without a slash at its end. */
  readonly root: string
  /** True if an option set the address; false if it comes from a request. */
  readonly isSet: boolean
}

/**
 * Finds the address of a service: the public URL, or the issuer if that is a URL. Otherwise it is the address of the
 * request. The client may have invented that one, so no other client may get an answer that contains it.
 *
 * @param issuer the issuer of access tokens
 */
function addressOf(
  issuer: string,
  publicUrl: PublicUrl | undefined,
  { request, basePath }: { readonly request: Request; readonly basePath: string },
): ServiceAddress {
  const isUrl = /^https?:/.test(issuer)
  const setUrl = (typeof publicUrl === 'function' ? publicUrl() : publicUrl) ?? (isUrl ? issuer : undefined)
  const { root: base, isSet } = serviceUrl(request, setUrl)
  const root = base.endsWith(basePath) ? base : base + basePath
  return { issuer: isUrl ? issuer : root, root, isSet }
}

/** The ways in which a client can authenticate at the endpoints that require it. */
const CLIENT_AUTHENTICATION = ['client_secret_post', 'client_secret_basic']

/** The authorization server metadata of RFC 8414. */
function describeServer({ issuer, root }: ServiceAddress): object {
  return {
    issuer,
    authorization_endpoint: root + AUTHORIZATION_PATH,
    token_endpoint: root + TOKEN_PATH,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    jwks_uri: root + KEY_SET_PATH,
    revocation_endpoint: root + REVOCATION_PATH,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint: root + INTROSPECTION_PATH,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: CAPABILITIES,
    service_documentation: `${root}/docs`,
  }
}
