/** Helpers that several adapters share. All of them need Node, and none needs a port. */

export { KeyedQueue } from './keyed-queue.js'
export { createPrivateFile, makeDatabaseFilePrivate, replacePrivateFile } from './private-files.js'
export { syncFolder } from './sync-folder.js'
export { codeOf, isCode } from './system-code.js'
