/** Helpers that several adapters share. All of them need Node, and none needs a port. */

export { KeyedQueue } from './keyed-queue.js'
export { codeOf, createPrivateFile, isCode, makeDatabaseFilePrivate, replacePrivateFile, syncFolder } from './system.js'
