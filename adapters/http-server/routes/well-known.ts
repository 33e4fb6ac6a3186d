import { publicRoute, type Route } from '../route.js'
import { keySetSchema } from '../schemas.js'
import { publicDocument } from '../static-answer.js'

export const KEY_SET_PATH = '/.well-known/jwks.json'

/** A new key signs as soon as it is made: caches must not keep the set without it for long. */
const KEY_SET_SECONDS = 60

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
]
