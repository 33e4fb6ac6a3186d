export { ContextCheck } from './context-check.js'
export { DocumentCheck } from './document-check.js'
export type {
  Checked,
  Problem,
  ProblemCode,
  ProblemSubject,
  VerifyOptions,
  VerifyProgress,
  VerifyReport,
} from './finding.js'
export { FoundationCheck } from './foundation-check.js'
export { LeftoverCheck } from './leftover-check.js'
export { Repair, type RepairWorkers } from './repair.js'
export { StartCheck } from './start-check.js'
export { Examination, Verify } from './verify.js'
export { WordRepair } from './word-repair.js'
