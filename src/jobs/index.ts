export type { JobHandler, JobRun } from './job-handler.js'
export { JobWorker } from './job-worker.js'
export type { Progress } from './progress.js'
export { together } from './record.js'
