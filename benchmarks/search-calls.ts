import { atOnce, type Contestant, quantile } from './measure.js'

/** How much is measured of a collection. */
export interface SearchExtent {
  readonly rounds: number
  /** Calls of one caller in a round: of 500, the fifth slowest is p99. */
  readonly callsAlone: number
  /** Calls of all callers in a round. */
  readonly callsTogether: number
  /** Different ones: the calls repeat them. */
  readonly queries: number
  /** Queries with each filter. */
  readonly filterQueries: number
  /** Queries with each kind of index of LanceDB. */
  readonly kindQueries: number
  readonly scansAlone: number
  readonly scansTogether: number
  /** Plain scans at a time. */
  readonly scanCallers: number
}

export const CALLERS = 64

const QUICK: SearchExtent = {
  rounds: 1,
  callsAlone: 20,
  callsTogether: 80,
  queries: 20,
  filterQueries: 5,
  kindQueries: 10,
  scansAlone: 5,
  scansTogether: 8,
  scanCallers: 4,
}
const FULL: SearchExtent = {
  rounds: 5,
  callsAlone: 500,
  callsTogether: 640,
  queries: 100,
  filterQueries: 30,
  kindQueries: 60,
  scansAlone: 20,
  scansTogether: 256,
  scanCallers: CALLERS,
}

/**
 * Plain scans of large collections are few, as one of a million windows takes a second, and are made by four callers: 64
 * at once of 100,000 windows take 10 GB, and make less than half of the scans a second that four make.
 */
export function extentOf(windows: number, isQuick: boolean): SearchExtent {
  if (isQuick) return QUICK
  if (windows > 100_000) return { ...FULL, filterQueries: 20, scansAlone: 3, scansTogether: 8, scanCallers: 4 }
  if (windows > 10_000) return { ...FULL, scansTogether: 48, scanCallers: 4 }
  return FULL
}

/** In each round so many calls one after the other, then so many by 64 callers. */
export function callContestants(
  { callsAlone, callsTogether }: Pick<SearchExtent, 'callsAlone' | 'callsTogether'>,
  call: (number: number) => Promise<unknown>,
): readonly Contestant[] {
  let measured: Awaited<ReturnType<typeof atOnce>> = { times: [], seconds: 0, perSecond: 0 }
  const p50Ms = async (callers: number, calls: number): Promise<number> => {
    measured = await atOnce(callers, calls, call)
    return quantile(measured.times, 0.5)
  }
  // Each tells of the calls of the one before it.
  return [
    { name: 'p50Ms', run: () => p50Ms(1, callsAlone) },
    { name: 'p99Ms', run: () => quantile(measured.times, 0.99) },
    { name: 'perSecond', run: () => measured.perSecond },
    { name: 'p50MsWith64', run: () => p50Ms(CALLERS, callsTogether) },
    { name: 'p99MsWith64', run: () => quantile(measured.times, 0.99) },
    { name: 'perSecondWith64', run: () => measured.perSecond },
  ]
}

/** The most memory that this process has had, in MB: the system counts every moment, a timer would miss some. */
export function peakMb(): number {
  return Math.round((process.resourceUsage().maxRSS * 1_024) / 1e6)
}
