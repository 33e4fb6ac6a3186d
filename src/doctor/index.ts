export { ContextCheck } from './context-check.js'
export { DocumentCheck } from './document-check.js'
export {
  type Checked,
  isLeftover,
  type Notice,
  type Problem,
  type ProblemCode,
  type ProblemSubject,
  type VerifyOptions,
  type VerifyProgress,
  type VerifyReport,
} from './finding.js'
export { LeftoverCheck } from './leftover-check.js'
export { Repair, type RepairWorkers } from './repair.js'
export { Examination, FoundationCheck, StartCheck, Verify } from './verify.js'
export { WordRepair } from './word-repair.js'
