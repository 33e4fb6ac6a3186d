export { batched, type JobHandler, type JobRun, removeInBatches, untilNoBackup, whenNoBackup } from './job-handler.js'
export { JobWorker } from './job-worker.js'
export type { Progress } from './running-job.js'
export { UnwritableDisk } from './unwritable-disk.js'
