export { PurgeAccount, PurgeCompany, PurgeContext, PurgeDocument } from './purge.js'
export { listUnclaimedFiles, SWEEP_JOB, Sweep, SweepCollections, SweepInTurn, unclaimedOf } from './sweep.js'
