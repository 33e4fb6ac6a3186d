/** Helpers that several adapters share. All of them need Node. */

export {
  describeFolder,
  type ModelProfileChanges,
  type OpenFolderOptions,
  openModelFolder,
  profileOf,
  writeProfile,
} from './embedding/describe-model-folder.js'
export { DeviceEmbeddingModel, type EncodeOptions } from './embedding/device-embedding-model.js'
export type { EmbeddingInput } from './embedding/embedding-protocol.js'
export type { OpenRunner, Runner, RunnerInputs, TokenMatrix } from './embedding/embedding-runner.js'
export { EmbeddingTask, poolInto } from './embedding/embedding-task.js'
export { toError } from './embedding/embedding-thread.js'
export {
  checkModelFile,
  type ModelFolder,
  type ModelProfileFile,
  readModelFile,
  toModelFolder,
} from './embedding/model-folder.js'
export { FILE_LOCK_HELD, withFileLock } from './file-lock.js'
export { KeyedQueue } from './keyed-queue.js'
export { loadNative, nativePartError } from './load-native.js'
export {
  codeOf,
  createPrivateFile,
  freeBytesOf,
  isCode,
  makeDatabaseFilePrivate,
  replacePrivateFile,
  syncFolder,
} from './system.js'
