import { invalid } from './client-error.js'
import { type FileContent, isRepeatable } from './file-content.js'

type Rule = readonly [isValid: (value: unknown) => boolean, wanted: string]

const ID: Rule = [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a positive integer']
const TEXT: Rule = [(value) => typeof value === 'string' && value !== '', 'a text that is not empty']
const FUNCTION: Rule = [(value) => typeof value === 'function', 'a function']
const NUMBER: Rule = [(value) => typeof value === 'number' && value >= 0, 'a number from 0']
const OBJECT: Rule = [(value) => typeof value === 'object' && value !== null, 'an object']

type Name =
  | 'baseUrl'
  | 'access'
  | 'clientId'
  | 'clientSecret'
  | 'accountId'
  | 'scope'
  | 'token'
  | 'cookies'
  | 'headers'
  | 'fetch'
  | 'maxRetries'
  | 'maxRetryWaitMs'
  | 'contextId'
  | 'docId'
  | 'document'
  | 'file'
  | 'fileName'
  | 'content'
  | 'metadata'
  | 'options'
  | 'onProgress'
  | 'onState'
  | 'onReady'
  | 'snapshot'
  | 'signal'

/** The rule of each option and argument. One name means one thing in the whole client. */
const RULES: Readonly<Record<Name, Rule>> = {
  baseUrl: TEXT,
  access: [OBJECT[0], '{ clientId, clientSecret }, { token } or { cookies: true }'],
  clientId: TEXT,
  clientSecret: TEXT,
  accountId: ID,
  scope: TEXT,
  token: FUNCTION,
  cookies: [(value) => value === true, 'true'],
  headers: [(value) => OBJECT[0](value) || FUNCTION[0](value), 'an object or a function'],
  fetch: FUNCTION,
  maxRetries: NUMBER,
  maxRetryWaitMs: NUMBER,
  contextId: ID,
  docId: ID,
  document: [(value) => TEXT[0](value) || ID[0](value), 'the UUID or the id of a document'],
  file: OBJECT,
  fileName: [TEXT[0], 'a name with its ending, such as report.pdf'],
  content: [isContent, 'a Blob, a Uint8Array, a text or a stream of bytes'],
  metadata: OBJECT,
  options: OBJECT,
  onProgress: FUNCTION,
  onState: FUNCTION,
  onReady: FUNCTION,
  snapshot: [(value) => value === 'all' || value === 'unfinished', '"all" or "unfinished"'],
  signal: [(value) => OBJECT[0](value) && 'aborted' in (value as object), 'an AbortSignal'],
}

function isContent(value: unknown): boolean {
  if (!OBJECT[0](value)) return typeof value === 'string'
  const content = value as FileContent & object
  return isRepeatable(content) || Symbol.asyncIterator in content || 'getReader' in content
}

/** @throws AlcoveClientError `ERR_INVALID_INPUT` for the first value that breaks the rule of its name */
export function check(values: Partial<Readonly<Record<Name, unknown>>>): void {
  for (const [name, value] of Object.entries(values)) {
    const [isValid, wanted] = RULES[name as Name]
    if (!isValid(value)) throw invalid(name, `must be ${wanted}`)
  }
}

/** @throws AlcoveClientError `ERR_INVALID_INPUT` if a member is missing, wrong or unknown */
export function checkMembers<Type extends object>(
  name: Name,
  value: Type,
  required: readonly (keyof Type & Name)[],
  optional: readonly (keyof Type & Name)[] = [],
): void {
  check({ [name]: value })
  for (const member of required) check({ [member]: value[member] })
  const known: readonly string[] = [...required, ...optional]
  for (const [member, each] of Object.entries(value) as [string, unknown][]) {
    if (!known.includes(member)) throw invalid(name, `unknown member "${member}"; expected one of ${known.join(', ')}`)
    if (each !== undefined) check({ [member]: each })
  }
}

/** The address of the server, without a slash at its end. @throws AlcoveClientError `ERR_INVALID_INPUT` */
export function baseUrlOf(text: string): string {
  try {
    const { href, username, password } = new URL(text)
    // An empty query or fragment counts too: paths follow.
    if (/^https?:/.test(href) && username + password === '' && !/[?#]/.test(text)) return href.replace(/\/+$/, '')
  } catch {
    // The error below says what is wrong.
  }
  // Not the value itself: it may have a password.
  throw invalid('baseUrl', 'must be an address such as https://example.com/alcove, without user, query or fragment')
}
