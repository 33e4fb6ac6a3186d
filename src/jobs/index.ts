export { type JobHandler, type JobRun, JobWorker } from './job-worker.js'
