import { AlcoveError, FileMissingError, StorageError, StorageFullError } from '../../src/ports/index.js'

/** What a server, or a system, calls a failure; none of a text that might hold anything. */
const CODE = /^[A-Za-z0-9_]{1,64}$/
const FULL_CODES: ReadonlySet<string> = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
])
const INSUFFICIENT_STORAGE = 507

const UNREACHABLE = 'nothing answers where its server should be: is it running, and is its address right?'
const SILENT = 'its server does not answer'
const BUSY = 'its server is busy'
const NO_RIGHT =
  'the credentials may not do this: give their user the rights to read, write, list and delete there, and to list and end uploads'
const UNKNOWN_KEY = 'its server refuses the credentials: are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY right?'
const OTHER_REGION = 'it is in another region: set AWS_REGION to that of the bucket'
const UNTRUSTED =
  'its server shows no certificate that is trusted here: NODE_EXTRA_CA_CERTS adds authorities, where it is your own'

/** What trying again may help against. */
const PASSING: Readonly<Record<string, string>> = {
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENOTFOUND: 'the name of its server is not known',
  EAI_AGAIN: 'the name of its server cannot be looked up at present',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  TimeoutError: SILENT,
  ETIMEDOUT: SILENT,
  RequestTimeout: SILENT,
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  InternalError: 'its server has failed',
  PreconditionFailed: 'the file was changed while it was read',
  NoSuchUpload: 'what was sent of the file is gone: something removes unfinished uploads',
  RequestTimeTooSkewed: 'the clock of this machine, or that of the server, is wrong: set it',
  ExpiredToken: 'the credentials have expired: renew them',
  CredentialsProviderError:
    'there are no credentials for it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another source that the SDK knows',
}
const LASTING: Readonly<Record<string, string>> = {
  AccessDenied: NO_RIGHT,
  Forbidden: NO_RIGHT,
  AllAccessDisabled: NO_RIGHT,
  InvalidAccessKeyId: UNKNOWN_KEY,
  SignatureDoesNotMatch: UNKNOWN_KEY,
  InvalidToken: UNKNOWN_KEY,
  NoSuchBucket: 'there is no bucket of that name: make it first, or name another',
  NotFound: 'it is not there: is there a bucket of that name, and does S3 answer at that address?',
  InvalidBucketName: 'there can be no bucket of that name',
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  NotImplemented: 'its server cannot do what is needed',
  NotAnS3: 'what answers there does not speak the protocol of S3: is its address right?',
  NoRegion: 'its region is not known: set AWS_REGION, to any name where the server has no regions',
  EPROTO: 'its server does not speak TLS there: is its address right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  CERT_HAS_EXPIRED: UNTRUSTED,
}
/** Where the answer has no body, as to HEAD, its status is all there is. */
const STATUSES: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'Forbidden',
  408: 'RequestTimeout',
  429: 'SlowDown',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
}
const SERVER_FAILS = 500
const NAMELESS: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError'])

/** What the SDK throws, told without names, addresses and signatures; everything else passes. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AlcoveError || error.name === 'AbortError') return error
  const status = statusOf(error)
  const code = codeOf(error, status)
  if (code === undefined) return error
  if (FULL_CODES.has(code) || status === INSUFFICIENT_STORAGE) {
    return new StorageFullError('the bucket with the files is full: make room, or raise its quota, and it goes on', {
      cause: withoutRequest(error, status),
    })
  }
  const problem = PASSING[code] ?? LASTING[code]
  return new StorageError(`the bucket with the files failed${problem === undefined ? '' : `: ${problem}`} (${code})`, {
    cause: withoutRequest(error, status),
    isTransient: code in PASSING || (!(code in LASTING) && mayPass(status)),
  })
}

/** Whether an object is not there; to HEAD, which has no other word for it, also whether its bucket is not. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)
}

/** Whether the server lacks an operation, or a condition of one. */
export function isNotOffered(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotImplemented' || statusOf(error) === 501)
}

/** Whether something is there that must not be. */
export function isConditionFailed(error: unknown): boolean {
  return error instanceof Error && [409, 412].includes(statusOf(error) ?? 0)
}

/** An answer that is not what the protocol says. */
export function notAnS3(): StorageError {
  return lasting('NotAnS3')
}

/** A bucket that is not there, where the server has no word for it. */
export function noBucket(): StorageError {
  return lasting('NoSuchBucket')
}

function lasting(code: keyof typeof LASTING): StorageError {
  return new StorageError(`the bucket with the files failed: ${LASTING[code]} (${code})`, { isTransient: false })
}

/** A file that is told by its key. */
export function fileMissing(key: string): FileMissingError {
  return new FileMissingError(`the file ${key} is not in the bucket; restore it or delete its document`)
}

/** The SDK's errors hold the whole request, with its signature and the token of a session; and they are logged. */
function withoutRequest({ name, message, stack }: Error, status: number | undefined): Error {
  const error = new Error(message)
  return Object.assign(error, { name, ...(stack !== undefined && { stack }), ...(status !== undefined && { status }) })
}

/** In doubt it is worth another try; a request that was refused will be refused again. */
function mayPass(status: number | undefined): boolean {
  return status === undefined || status < 400 || status >= SERVER_FAILS
}

function statusOf(error: Error): number | undefined {
  const { $metadata, $response } = error as {
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly $response?: { readonly statusCode?: number }
  }
  return $metadata?.httpStatusCode ?? $response?.statusCode
}

/** What the failure is called: by the server, by the SDK, by the system, or by its status. */
function codeOf(error: Error, status: number | undefined): string | undefined {
  if (error.message === 'Region is missing') return 'NoRegion'
  if (error.message.includes('Deserialization error')) return 'NotAnS3'
  const system = 'code' in error && typeof error.code === 'string' && CODE.test(error.code) ? error.code : undefined
  const isNamed = error.name in PASSING || error.name in LASTING || FULL_CODES.has(error.name)
  if (isNamed) return system !== undefined && system in PASSING ? system : error.name
  if (status === undefined) return system
  const byStatus = STATUSES[status] ?? (status >= SERVER_FAILS ? 'InternalError' : undefined)
  if (byStatus !== undefined) return byStatus
  return CODE.test(error.name) && !NAMELESS.has(error.name) ? error.name : `status ${status}`
}
