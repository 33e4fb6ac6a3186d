import { AlcoveError, FileMissingError, isError, StorageError, StorageFullError } from '../../src/ports/index.js'
import { codeOf as systemCodeOf } from '../node-kit/index.js'

/** The form of an error code of a server or of the system. Other texts might contain anything. */
const CODE = /^[A-Za-z0-9_]{1,64}$/
const FULL_CODES: ReadonlySet<string> = new Set([
  'QuotaExceeded',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
])
const INSUFFICIENT_STORAGE = 507

const UNREACHABLE = 'its server cannot be reached: check that it is running and that its address is right'
const SILENT = 'its server does not answer'
const BUSY = 'its server is busy'
const NO_RIGHT =
  'the credentials do not allow this: give their user the rights to read, write, list and delete objects, and to list and abort uploads'
const UNKNOWN_KEY = 'its server refuses the credentials: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'
const OTHER_REGION = 'it is in another region: set AWS_REGION to the region of the bucket'
const UNTRUSTED =
  'its server has no certificate that this machine trusts: if the authority is your own, add it with NODE_EXTRA_CA_CERTS'

/** Errors that a retry may not have. */
const TRANSIENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENOTFOUND: 'the name of its server does not resolve: check its address',
  EAI_AGAIN: 'the name of its server cannot be resolved at present',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  TimeoutError: SILENT,
  ETIMEDOUT: SILENT,
  RequestTimeout: SILENT,
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  InternalError: 'its server has failed',
  PreconditionFailed: 'the file changed while it was read',
  NoSuchUpload: 'the uploaded parts of the file are missing: find out what removes unfinished uploads',
  RequestTimeTooSkewed: 'the clock of this machine or of the server is wrong: set it',
  ExpiredToken: 'the credentials have expired: renew them',
  CredentialsProviderError:
    'there are no credentials for it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another source that the SDK reads',
}
const PERMANENT: Readonly<Record<string, string>> = {
  AccessDenied: NO_RIGHT,
  Forbidden: NO_RIGHT,
  AllAccessDisabled: NO_RIGHT,
  InvalidAccessKeyId: UNKNOWN_KEY,
  SignatureDoesNotMatch: UNKNOWN_KEY,
  InvalidToken: UNKNOWN_KEY,
  NoSuchBucket: 'there is no bucket of that name: create it, or name another one',
  NotFound: 'it does not exist: check that the bucket exists and that an S3 server answers at that address',
  InvalidBucketName: 'the name of the bucket is not valid',
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  NotImplemented: 'its server cannot do an operation that the engine needs: use another server',
  NotAnS3: 'the server at that address does not speak the protocol of S3: check the address',
  NoRegion: 'its region is not known: set AWS_REGION; a server without regions accepts any name',
  EPROTO: 'its server does not speak TLS at that address: check the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  CERT_HAS_EXPIRED: UNTRUSTED,
}
/** An answer without a body, as to HEAD, has only a status. */
const STATUSES: Readonly<Record<number, string>> = {
  301: 'PermanentRedirect',
  403: 'Forbidden',
  408: 'RequestTimeout',
  429: 'SlowDown',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
}
const SERVER_ERROR = 500
const UNSPECIFIC_NAMES: ReadonlySet<string> = new Set(['Error', 'Unknown', 'UnknownError'])

/** Translates an error of the SDK, without names, addresses and signatures. Other errors pass unchanged. */
export function translateError(error: unknown): unknown {
  if (!isError(error) || error instanceof AlcoveError || error.name === 'AbortError') return error
  const status = statusOf(error)
  const code = codeOf(error, status)
  if (code === undefined) return error
  if (FULL_CODES.has(code) || status === INSUFFICIENT_STORAGE) {
    return new StorageFullError(
      'the bucket with the files is full: free some space or raise its quota, then the work continues',
      {
        cause: withoutRequest(error, status),
      },
    )
  }
  const problem = TRANSIENT[code] ?? PERMANENT[code]
  return new StorageError(`the bucket with the files failed${problem === undefined ? '' : `: ${problem}`} (${code})`, {
    cause: withoutRequest(error, status),
    isTransient: code in TRANSIENT || (!(code in PERMANENT) && isTransientStatus(status)),
  })
}

/** True if an object does not exist. For HEAD, which has no other code, also if its bucket does not exist. */
export function isObjectMissing(error: unknown): boolean {
  return isError(error) && ['NoSuchKey', 'NotFound'].includes(error.name)
}

/** True if the server lacks an operation, or a condition of one. */
export function isUnsupportedOperation(error: unknown): boolean {
  return isError(error) && (error.name === 'NotImplemented' || statusOf(error) === 501)
}

/** True if an object exists that must not exist. */
export function isConditionFailed(error: unknown): boolean {
  return isError(error) && [409, 412].includes(statusOf(error) ?? 0)
}

/** The error for an answer that violates the protocol. */
export function notS3Error(): StorageError {
  return permanentError('NotAnS3')
}

/** The error for a missing bucket, if the server has no code for it. */
export function noBucketError(): StorageError {
  return permanentError('NoSuchBucket')
}

function permanentError(code: keyof typeof PERMANENT): StorageError {
  return new StorageError(`the bucket with the files failed: ${PERMANENT[code]} (${code})`, { isTransient: false })
}

/** The error for a missing file. */
export function fileMissingError(key: string): FileMissingError {
  return new FileMissingError(`the file ${key} is not in the bucket; restore it or delete its document`)
}

/**
 * Copies an error without its request. The SDK's errors contain the whole request, with its signature and the token of
 * a session, and they are logged.
 */
function withoutRequest({ name, message, stack }: Error, status: number | undefined): Error {
  const error = new Error(message)
  return Object.assign(error, { name, ...(stack !== undefined && { stack }), ...(status !== undefined && { status }) })
}

/** An unknown error is worth a retry. A server that refuses a request refuses it again. */
function isTransientStatus(status: number | undefined): boolean {
  return status === undefined || status < 400 || status >= SERVER_ERROR
}

function statusOf(error: Error): number | undefined {
  const { $metadata, $response } = error as {
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly $response?: { readonly statusCode?: number }
  }
  return $metadata?.httpStatusCode ?? $response?.statusCode
}

/** The code of the failure: from the server, from the SDK, from the system, or from its status. */
function codeOf(error: Error, status: number | undefined): string | undefined {
  if (error.message === 'Region is missing') return 'NoRegion'
  if (error.message.includes('Deserialization error')) return 'NotAnS3'
  const ownCode = systemCodeOf(error)
  const system = ownCode !== undefined && CODE.test(ownCode) ? ownCode : undefined
  const isNamed = error.name in TRANSIENT || error.name in PERMANENT || FULL_CODES.has(error.name)
  if (isNamed) return system !== undefined && system in TRANSIENT ? system : error.name
  if (status === undefined) return system
  const byStatus = STATUSES[status] ?? (status >= SERVER_ERROR ? 'InternalError' : undefined)
  if (byStatus !== undefined) return byStatus
  return CODE.test(error.name) && !UNSPECIFIC_NAMES.has(error.name) ? error.name : `status ${status}`
}
