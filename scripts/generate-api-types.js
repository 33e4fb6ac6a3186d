/** Makes the types of the REST API that `alcove/client` has, from the description that the built server shows. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'

/**
 * @param {string} dist
 * @param {string} file the TypeScript file to write
 */
export async function generateApiTypes(dist, file) {
  const { describeApi } = await import(pathToFileURL(join(dist, 'adapters/http-server/index.js')).href)
  const types = astToString(await openapiTypescript(JSON.stringify(describeApi({ cookieLogins: true }))))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, types)
}
