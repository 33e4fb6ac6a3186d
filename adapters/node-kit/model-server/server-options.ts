import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { InvalidInputError, textSchema } from '../../../src/ports/index.js'

/** One line, such as the name of a model. */
export const LINE: z.ZodType<string> = textSchema({ min: 1, max: 255 })
/** The key of a server. Fetch refuses other characters in a header, and its error would show the key. */
export const SERVER_KEY: z.ZodType<string> = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without white space')
const HEADER = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]{0,4094}[\x21-\x7e])?$/, 'must be printable ASCII without white space around it')
/** Further headers of each request to a server. */
export const SERVER_HEADERS: z.ZodType<Record<string, string>> = z.record(
  z.string().regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header'),
  HEADER,
)

/**
 * @param operation the last part of the path, such as `embeddings`. A base URL that ends in it stays
 * @param example a base URL for the message
 * @returns the address of an operation. A query of the base URL, as of Azure, stays
 * @throws InvalidInputError for the field `baseUrl`
 */
export function operationUrl(baseUrl: string, operation: string, example: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError('baseUrl', `must be an http or https URL, such as ${example}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('baseUrl', 'must have no user and password: give a key with apiKey or apiKeyFile')
  }
  url.hash = ''
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(`/${operation}`) ? path : `${path}/${operation}`
  return url
}

/**
 * @returns the key of the options, or that in the file
 * @throws InvalidInputError for the field `apiKeyFile`; it never contains the key
 */
export async function serverKeyOf(options: {
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
}): Promise<string | undefined> {
  const { apiKey, apiKeyFile: file } = options
  if (file === undefined) return apiKey
  if (apiKey !== undefined) throw new InvalidInputError('apiKeyFile', 'cannot be given together with apiKey')
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new InvalidInputError('apiKeyFile', `the file ${file} cannot be read`, { cause: error })
  }
  if (SERVER_KEY.safeParse(text).success) return text
  throw new InvalidInputError('apiKeyFile', `the file ${file} must contain one key, and nothing else`)
}
