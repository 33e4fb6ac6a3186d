import openapiTypescript, { astToString } from 'openapi-typescript'
import { describeApi } from '../../../adapters/http-server/index.js'

/** Types of the API for TypeScript clients, as openapi-typescript generates them from the description. */
export async function generateApiTypes(): Promise<string> {
  return astToString(await openapiTypescript(JSON.stringify(describeApi({ cookieLogins: true }))))
}
