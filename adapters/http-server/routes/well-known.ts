import { addressOf, describeServer } from '../oauth-metadata.js'
import { publicRoute, type Route } from '../route.js'
import { keySetSchema, serverMetadataSchema } from '../schemas.js'
import { publicDocument } from '../static-answer.js'
import { TOKEN_PATH } from './token.js'
import { INTROSPECTION_PATH, REVOCATION_PATH } from './token-state.js'

const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key signs tokens at once, so caches must not keep the old set for long. */
const KEY_SET_SECONDS = 60
const METADATA_SECONDS = 300

const PATHS = {
  token: TOKEN_PATH,
  keySet: KEY_SET_PATH,
  revocation: REVOCATION_PATH,
  introspection: INTROSPECTION_PATH,
}

/** The facts about tokens that clients and resource servers read first. */
export const WELL_KNOWN_ROUTES: readonly Route[] = [
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
      const address = addressOf(engine.authentication.issuer, options, { url: request.url, basePath })
      return publicDocument(
        describeServer(address, PATHS),
        address.isSet ? `public, max-age=${METADATA_SECONDS}` : 'no-store',
      )
    },
  }),
]
