import { join } from 'node:path'
import { startSilentProxy } from '../../servers/silent-proxy.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { codeOf, type DiskLog } from './disk-log.js'
import { lamps } from './full-disk-rounds.js'
import { type Answer, ServedFolder, until } from './served-folder.js'

/** A call has 10 seconds for the database, and the answer follows soon. */
const LONGEST_MS = 12_000
const WAIT_MS = 60_000
/** A call that began while the network was silent ends first. */
const RECOVERED_MS = 15_000

/** A served database behind a network that goes silent, and that cuts connections. The server is never restarted. */
export async function silentDatabase(databaseUrl: string, log: DiskLog, rounds: number): Promise<void> {
  const folder = await temporaryFolder()
  const proxy = await startSilentProxy(databaseUrl)
  const served = await ServedFolder.start(join(folder.path, 'data'), folder.path, ['--database-url', proxy.url])
  const search = async (): Promise<Answer> => await served.search('a lamp in the garden')
  await served.upload('first.txt', lamps(1, 20))
  await until(async () => (await served.document('first.txt'))?.completed != null, WAIT_MS)
  log.begin('a database behind a network')
  log.checkFound('a search', await search())
  for (let round = 1; round <= rounds; round += 1) {
    log.begin(`round ${round}: the network goes silent`)
    proxy.silence()
    const begun = [['search', search()] as const, ['upload', served.upload(`${round}.txt`, lamps(round, 50))] as const]
    for (const [name, call] of begun) checkUnavailable(name, await call, log)
    // Later than the moment for which one check of health serves all callers.
    checkUnavailable('health', await served.send('/health'), log)
    proxy.letNewThrough()
    await recovers(served, search, log)
    log.begin(`round ${round}: the network cuts all connections`)
    const cutCalls = Array.from({ length: 8 }, search)
    proxy.cut()
    for (const { status, body } of await Promise.all(cutCalls)) {
      const isGood = [200, 503].includes(status) && !JSON.stringify(body).includes('ABORTED')
      if (!isGood || status !== 200) log.check('a search', isGood, `${status} ${codeOf(body)}`)
    }
    await recovers(served, search, log)
  }
  log.check('the server ends with', (await served.stop()) === 0, 'code 0')
  await proxy.dispose()
  await folder.remove()
}

function checkUnavailable(name: string, { status, body, ms }: Answer, log: DiskLog): void {
  const isRefused = status === 503 && ms < LONGEST_MS && !JSON.stringify(body).includes('ABORTED')
  log.check(name, isRefused, `${status} ${codeOf(body)} after ${ms} ms`)
}

async function recovers(served: ServedFolder, search: () => Promise<Answer>, log: DiskLog): Promise<void> {
  const from = performance.now()
  let failed = ''
  await until(async () => {
    const { status, body, ms } = await search()
    if (status !== 200) failed += ` ${status} ${codeOf(body)} after ${ms} ms`
    return status === 200
  }, WAIT_MS)
  const tookMs = Math.round(performance.now() - from)
  log.check('searches recover', tookMs < RECOVERED_MS, `after ${tookMs} ms${failed}`)
  log.checkFound('a search', await search())
  const isWell = await until(async () => (await served.send('/health')).status === 200, WAIT_MS)
  log.check('health', isWell, (await served.send('/health')).status)
}
