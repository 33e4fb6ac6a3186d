export { batched, type JobHandler, type JobRun, removeInBatches, untilNoBackup } from './job-handler.js'
export { JobWorker } from './job-worker.js'
export type { Progress } from './running-job.js'
