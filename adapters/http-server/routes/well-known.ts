import { addressOf, describeServer } from '../oauth-metadata.js'
import { publicRoute, type Route } from '../route.js'
import { keySetSchema, serverMetadataSchema } from '../schemas.js'
import { publicDocument } from '../static-answer.js'
import { TOKEN_PATH } from './token.js'
import { INTROSPECTION_PATH, REVOCATION_PATH } from './token-state.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key signs as soon as it is made: caches must not keep the set without it for long. */
const KEY_SET_SECONDS = 60
const METADATA_SECONDS = 300

const PATHS = {
  token: TOKEN_PATH,
  keySet: KEY_SET_PATH,
  revocation: REVOCATION_PATH,
  introspection: INTROSPECTION_PATH,
}

/** What clients and resource servers read about tokens before they have one. */
export const WELL_KNOWN_ROUTES: readonly Route[] = [
  publicRoute({
    api: 'system',
    method: 'GET',
    path: KEY_SET_PATH,
    operationId: 'getKeySet',
    summary: 'The public keys that access tokens are verified by',
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
    summary: 'Where and how clients get access tokens',
    answers: { 200: { description: 'Authorization server metadata (RFC 8414)', schema: serverMetadataSchema } },
    handle: ({ engine, options, request, basePath }) => {
      const address = addressOf(engine.authentication.issuer, options, { url: request.url, basePath })
      return publicDocument(
        describeServer(address, PATHS),
        address.isSet ? `public, max-age=${METADATA_SECONDS}` : 'no-store',
      )
    },
  }),
]
