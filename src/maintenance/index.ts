export { PurgeAccount, PurgeCompany, PurgeContext, PurgeDocument } from './purge.js'
export { SWEEP_JOB, Sweep, SweepInTurn } from './sweep.js'
export { SweepCollections } from './sweep-collections.js'
export { listUnclaimedFiles, unclaimedOf } from './unclaimed-files.js'
