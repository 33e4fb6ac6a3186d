/** Helpers that several adapters share. All of them need Node, and none needs a port. */

export { FILE_LOCK_HELD, withFileLock } from './file-lock.js'
export { KeyedQueue } from './keyed-queue.js'
export { codeOf, createPrivateFile, isCode, makeDatabaseFilePrivate, replacePrivateFile, syncFolder } from './system.js'
