import { atOnce, type Contestant, quantile } from '../harness/measure.js'

/** The amount of work that is measured on a collection. */
export interface SearchExtent {
  readonly rounds: number
  /** Calls of one caller in a round. The fifth slowest of 500 calls is p99. */
  readonly callsAlone: number
  /** Calls of all callers together in a round. */
  readonly callsTogether: number
  /** Different queries. The calls repeat them. */
  readonly queries: number
  /** Queries with each filter. */
  readonly filterQueries: number
  /** Queries with each kind of index of LanceDB. */
  readonly kindQueries: number
  readonly scansAlone: number
  readonly scansTogether: number
  /** Callers of plain scans. */
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
 * Large collections get few plain scans, because a scan of a million windows takes a second. Four callers make them: 64
 * callers on 100,000 windows take 10 GB, and make less than half as many scans a second.
 */
export function extentOf(windows: number, isQuick: boolean): SearchExtent {
  if (isQuick) return QUICK
  if (windows > 100_000) return { ...FULL, filterQueries: 20, scansAlone: 3, scansTogether: 8, scanCallers: 4 }
  if (windows > 10_000) return { ...FULL, scansTogether: 48, scanCallers: 4 }
  return FULL
}

/** Each round has calls of one caller, then calls of 64 callers. */
export function callContestants(
  { callsAlone, callsTogether }: Pick<SearchExtent, 'callsAlone' | 'callsTogether'>,
  call: (number: number) => Promise<unknown>,
): readonly Contestant[] {
  let measured: Awaited<ReturnType<typeof atOnce>> = { times: [], seconds: 0, perSecond: 0 }
  const p50Ms = async (callers: number, calls: number): Promise<number> => {
    measured = await atOnce(callers, calls, call)
    return quantile(measured.times, 0.5)
  }
  // The later ones report figures of the calls that the first one made.
  return [
    { name: 'p50Ms', run: () => p50Ms(1, callsAlone) },
    { name: 'p99Ms', run: () => quantile(measured.times, 0.99) },
    { name: 'perSecond', run: () => measured.perSecond },
    { name: 'p50MsWith64', run: () => p50Ms(CALLERS, callsTogether) },
    { name: 'p99MsWith64', run: () => quantile(measured.times, 0.99) },
    { name: 'perSecondWith64', run: () => measured.perSecond },
  ]
}

/** The peak memory of this process in MB. The system records each peak, and a timer would miss some. */
export function peakMb(): number {
  return Math.round((process.resourceUsage().maxRSS * 1_024) / 1e6)
}
