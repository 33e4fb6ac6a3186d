/** Helpers that several adapters share. Only those of the folder `http` do without Node. */

export { CollectionCalls } from './collection-calls.js'
export { diskCodeOf, diskErrorOf, isWritable, requireWritable } from './disk-fault.js'
export { FILE_LOCK_HELD, withFileLock } from './file-lock.js'
export {
  FileChangedError,
  type FolderFile,
  listFolder,
  openFolderFile,
  type SkipReason,
} from './folder-files.js'
export { healthConnectionOf } from './health-connection.js'
export { BodyBudget, type HeldBytes } from './http/body-budget.js'
export { checkPath } from './http/check-path.js'
export { refuseCrossSite } from './http/cross-site.js'
export { checkLogin, identifyCaller, type RequestCaller, requireApplication } from './http/identify-caller.js'
export type { Authenticate, CheckedLogin, LoginInfo, LoginOptions } from './http/login.js'
export { printFailure } from './http/print-failure.js'
export { HttpError, headersOf, problem, problemOf, titleOf } from './http/problem.js'
export { checkPublicUrl, hostOf, type PublicUrl, type ServiceUrl, serviceUrl } from './http/public-url.js'
export { mediaType, readJson, readText } from './http/read-body.js'
export { requestIdOf } from './http/request-id.js'
export { isSettledWithin } from './http/settled-within.js'
export { listen } from './listen.js'
export { loadNative, nativePartError } from './load-native.js'
export { lowerPriority } from './lower-priority.js'
export { jsonHeaders, readUpTo, secretsOf, serverWords } from './model-server/server-exchange.js'
export { LINE, operationUrl, SERVER_HEADERS, SERVER_KEY, serverKeyOf } from './model-server/server-options.js'
export { CollectionCatalog, type Rows } from './postgres/collection-catalog.js'
export { isTableMissing, translateDatabaseError } from './postgres/database-errors.js'
export { patiently, promptly, statementLimitMs } from './statement-time.js'
export {
  codeOf,
  createPrivateFile,
  freeBytesOf,
  ifPresent,
  isCode,
  makeDatabaseFilePrivate,
  makeFolder,
  replacePrivateFile,
  syncFolder,
  usedBytesOf,
} from './system.js'
export { requireTablePrefix, TABLE_PREFIX } from './table-prefix.js'
export { VERSION } from './version.js'
