import type { IncomingMessage, ServerResponse } from 'node:http'
import { changeAnswer } from './change-answer.js'

/**
 * s3rver encrypts the tokens of ListObjectsV2 with a cipher that OpenSSL has removed, so it fails on further pages.
 * This function requests the same list in its older form, in which the last name is the token. The rest is s3rver's.
 */
export function listByMarkers(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (request.method !== 'GET' || url.searchParams.get('list-type') !== '2') return
  const token = url.searchParams.get('continuation-token')
  url.searchParams.delete('list-type')
  url.searchParams.delete('continuation-token')
  if (token !== null) url.searchParams.set('marker', token)
  request.url = url.pathname + url.search
  changeAnswer(response, (text) => text.replaceAll('NextMarker>', 'NextContinuationToken>'))
}
