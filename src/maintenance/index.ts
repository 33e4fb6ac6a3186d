export { PurgeAccount, PurgeCompany, PurgeContext, PurgeDocument } from './purge.js'
export { SWEEP_JOB, Sweep, SweepCollections, SweepInTurn, unclaimed, unclaimedFiles } from './sweep.js'
