/**
 * Measures the requests that one or several `alcove serve --roles http` answer, on one PostgreSQL and one folder: `npm
 * run soak:http -- [--processes N] [--seconds N] [--connections N]`. The clients run on the same machine.
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Running, runAlcove, startAlcove } from '../adapters/cli/run-alcove.js'
import { startPostgres } from '../servers/postgres-server.js'
import { temporaryFolder } from '../temporary-folder.js'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '32' },
  },
})
const WARM_UP_SECONDS = 2
const seconds = Number(values.seconds)

const postgres = await startPostgres()
const folder = await temporaryFolder()
const where = { cwd: folder.path, env: { ALCOVE_DATABASE_URL: postgres.url, ALCOVE_JSON: '1' } }
const servers: Running[] = []
try {
  const key = JSON.parse(await outputOf('init')) as { readonly clientId: string; readonly clientSecret: string }
  const named = ['--description', 'Answers.', '--caption', 'HR']
  const { id } = JSON.parse(await outputOf('context', 'create', 'Handbook', ...named)) as { readonly id: number }
  for (let number = 0; number < Number(values.processes); number += 1) {
    servers.push(startAlcove(['serve', '--port', '0', '--roles', 'http', '--log-level', 'error'], where))
  }
  const addresses = await Promise.all(servers.map(addressOf))
  const authorization = `Bearer ${await token(addresses[0] ?? '', key)}`
  const read = async (address: string): Promise<Response> =>
    await fetch(`${address}/context/${id}`, { headers: { authorization } })
  let uploads = 0
  const upload = async (address: string): Promise<Response> => {
    const body = new FormData()
    uploads += 1
    body.set('file', new Blob([`The text of the file with number ${uploads}.`]), `${uploads}.txt`)
    return await fetch(`${address}/context/upload/${id}`, { method: 'POST', headers: { authorization }, body })
  }
  const report = {
    processes: addresses.length,
    seconds,
    readsPerSecond: await perSecond(addresses, read),
    uploadsPerSecond: await perSecond(addresses, upload),
  }
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
} finally {
  for (const { child } of servers) child.kill('SIGTERM')
  await Promise.all(servers.map(({ outcome }) => outcome))
  await postgres.dispose()
  await folder.remove()
}

async function outputOf(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runAlcove(args, where)
  if (exitCode !== 0) throw new Error(stderr)
  return stdout
}

async function addressOf({ stdout, outcome }: Running): Promise<string> {
  for (;;) {
    const [address] = /http:\/\/[\d.:]+/.exec(stdout()) ?? []
    if (address !== undefined) return address
    const ended = await Promise.race([outcome, setTimeout(50)])
    if (ended !== undefined) throw new Error(ended.stderr)
  }
}

async function token(
  address: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<string> {
  const form = { grant_type: 'client_credentials', target_app: 'assistant' }
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret })
  const answer = await fetch(`${address}/connect/token`, { method: 'POST', body })
  return ((await answer.json()) as { readonly access_token: string }).access_token
}

/** Each connection sends requests to one server after the other, and waits for each answer. */
async function perSecond(
  addresses: readonly string[],
  ask: (address: string) => Promise<Response>,
): Promise<{ readonly median: number; readonly least: number; readonly most: number }> {
  const counts = Array.from({ length: seconds }, () => 0)
  const began = performance.now()
  const second = (): number => Math.floor((performance.now() - began) / 1_000) - WARM_UP_SECONDS
  const connections = Array.from({ length: Number(values.connections) }, async (_, connection) => {
    for (let number = connection; second() < seconds; number += 1) {
      const answer = await ask(addresses[number % addresses.length] ?? '')
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`answered with ${answer.status}`)
      const now = second()
      if (now >= 0 && now < seconds) counts[now] = (counts[now] ?? 0) + 1
    }
  })
  await Promise.all(connections)
  const sorted = counts.toSorted((one, other) => one - other)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0 }
}
