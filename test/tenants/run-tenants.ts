import type { ChildProcess } from 'node:child_process'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { startAlcove } from '../adapters/cli/run-alcove.js'
import { forkProgram } from '../child-program.js'
import { temporaryFolder } from '../temporary-folder.js'
import type { Attacker } from './attacks.js'

export interface TenantsOptions {
  /** The name of an attack, or `none`. */
  readonly attack: string
  /** Duration of the attack. */
  readonly seconds: number
  /** Contexts of the attacker, each with a description of 100 kB. */
  readonly contexts: number
  /** The two companies, for several attacks. Default: made for this attack. */
  readonly prepared?: PreparedTenants
}

/** A data folder with both companies, of which each attack gets a copy. */
export interface PreparedTenants {
  readonly dataDir: string
  readonly world: World
  remove(): Promise<void>
}

/** Makes the two companies for several attacks. */
export async function prepareTenants(contexts: number): Promise<PreparedTenants> {
  const folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  return { dataDir, world: await prepare(dataDir, contexts), remove: folder.remove }
}

/** The answers of a server to one tenant while another tenant attacks. */
export interface TenantsReport {
  readonly attack: string
  readonly search: Latencies
  readonly health: Latencies
  /** Largest resident memory of the server's process in MB, after the attack began. */
  readonly peakMb: number
  readonly mails: number
  /** The outcomes of the attacker's tries: statuses, and ends of connections. */
  readonly attempts: Readonly<Record<string, number>>
}

/** Times in ms. A request that fails, or takes longer than 15 s, is a failure. */
interface Latencies {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly requests: number
  readonly failures: number
}

const SEARCH_EVERY_MS = 150
const HEALTH_EVERY_MS = 100
const GIVE_UP_MS = 15_000
const WARM_UP_SEARCHES = 20
/** An attack of large uploads needs long for its first outcome on a busy machine. */
const ATTACK_BEGINS_MS = 120_000
const DESCRIPTION = 'Answer from the handbook. '.repeat(4_000).slice(0, 100_000)
/** 110 chunks of 64,000 characters: the model has no token for most of them, and reads the text at once. */
const LARGE_TEXT = `parental leave ${'\u200b'.repeat(63_900)}`.repeat(110)

/** Runs one attack against `alcove serve`; server and attacker each have a process of their own. */
export async function runTenants({ attack, seconds, contexts, prepared }: TenantsOptions): Promise<TenantsReport> {
  const folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  let server: ReturnType<typeof startAlcove> | undefined
  let child: ChildProcess | undefined
  try {
    if (prepared !== undefined) await cp(prepared.dataDir, dataDir, { recursive: true })
    const world = prepared?.world ?? (await prepare(dataDir, contexts))
    server = startAlcove(['serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'error'], { cwd: folder.path })
    const address = await addressOf(server)
    const { hostname, port } = new URL(address)
    const victim = { address, contextId: world.victimContextId, token: await token(address, world.victimKey) }
    for (let warm = 0; warm < WARM_UP_SEARCHES; warm += 1) await search(victim)
    const attacker: Attacker = {
      host: hostname,
      port: Number(port),
      contextId: world.attackerContextId,
      largeContextId: world.largeContextId,
      userIds: world.userIds,
      assistantToken: await token(address, world.attackerKey),
      tenantToken: await token(address, world.attackerKey, 'tenant'),
    }
    const mailsBefore = await countMails(dataDir)
    const memory = new PeakMemory(server.child.pid ?? 0)
    let attempts: Record<string, number> = {}
    if (attack !== 'none') {
      child = await forkProgram(join(import.meta.dirname, 'attacker-child.ts'), [])
      child.on('message', (counts) => {
        attempts = counts as Record<string, number>
      })
      child.send({ name: attack, attacker })
      await underWay(() => Object.keys(attempts).length > 0)
    }
    const endsAt = performance.now() + seconds * 1_000
    const [searches, healths] = await Promise.all([
      probe(SEARCH_EVERY_MS, endsAt, () => search(victim)),
      probe(HEALTH_EVERY_MS, endsAt, () => health(address)),
    ])
    return {
      attack,
      search: searches,
      health: healths,
      peakMb: memory.stop(),
      mails: (await countMails(dataDir)) - mailsBefore,
      attempts,
    }
  } finally {
    child?.kill('SIGKILL')
    server?.child.kill('SIGKILL')
    await server?.outcome
    await folder.remove()
  }
}

/** Waits until the attack has its first outcome. */
async function underWay(isAttacked: () => boolean): Promise<void> {
  const givesUpAt = performance.now() + ATTACK_BEGINS_MS
  while (!isAttacked() && performance.now() < givesUpAt) await setTimeout(20)
}

interface Key {
  readonly clientId: string
  readonly clientSecret: string
}

interface World {
  readonly victimKey: Key
  readonly victimContextId: number
  readonly attackerKey: Key
  readonly attackerContextId: number
  readonly largeContextId: number
  readonly userIds: readonly number[]
}

/** Two companies: a victim with a document to search, and an attacker with the largest allowed data. */
async function prepare(dataDir: string, contexts: number): Promise<World> {
  const engine = await openLocalEngine({ dataDir })
  try {
    const { administration } = engine
    const tenant = async (name: string) => {
      const { id: companyId } = await administration.companies.create({ name, parentId: engine.owner.companyId })
      const key = await administration.apiKeys.create({ companyId })
      const accounts = (await administration.accounts.list()).filter(({ customerId }) => customerId === companyId)
      const accountId = accounts.find(({ application }) => application === 'assistant')?.id ?? 0
      return { companyId, key, session: engine.as({ companyId, userId: key.userId, accountId }) }
    }
    const victim = await tenant('Victim')
    const attacker = await tenant('Attacker')
    const of = { caption: '', toolsJson: '[]', starterPrompts: [] }
    const { id: victimContextId } = await victim.session.contexts.create({ ...of, name: 'Handbook', description: '' })
    const content = Buffer.from('Parental leave takes eighteen weeks. The office opens at nine. '.repeat(200))
    const uuid = await victim.session.documents.upload(victimContextId, { fileName: 'handbook.txt', content })
    await victim.session.documents.whenProcessed(uuid)
    const { id: attackerContextId } = await attacker.session.contexts.create({ ...of, name: 'Attack', description: '' })
    const settings = { topN: 100, chunkSizeTokens: 1_000, overlap: 0 }
    const large = await attacker.session.contexts.create({ ...of, name: 'Large', description: '', settings })
    const texts = { fileName: 'large.txt', content: Buffer.from(LARGE_TEXT) }
    await attacker.session.documents.whenProcessed(await attacker.session.documents.upload(large.id, texts))
    for (let made = 1; made < contexts; made += 1) {
      await attacker.session.contexts.create({ ...of, name: `Context ${made}`, description: DESCRIPTION })
    }
    const userIds: number[] = []
    for (let made = 0; made < 60; made += 1) {
      const user = { email: `user-${made}@example.com`, companyId: attacker.companyId }
      userIds.push((await administration.users.add(user)).id)
    }
    return {
      victimKey: victim.key,
      victimContextId,
      attackerKey: attacker.key,
      attackerContextId,
      largeContextId: large.id,
      userIds,
    }
  } finally {
    await engine.close()
  }
}

async function addressOf({ stdout, outcome }: ReturnType<typeof startAlcove>): Promise<string> {
  for (;;) {
    const [address] = /http:\/\/[\d.:]+/.exec(stdout()) ?? []
    if (address !== undefined) return address
    const ended = await Promise.race([outcome, setTimeout(50)])
    if (ended !== undefined) throw new Error(ended.stderr)
  }
}

async function token(address: string, { clientId, clientSecret }: Key, target = 'assistant'): Promise<string> {
  const form = { grant_type: 'client_credentials', target_app: target }
  const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret })
  const answer = await fetch(`${address}/connect/token`, { method: 'POST', body })
  return ((await answer.json()) as { readonly access_token: string }).access_token
}

interface Victim {
  readonly address: string
  readonly token: string
  readonly contextId: number
}

async function search({ address, token: bearer, contextId }: Victim): Promise<boolean> {
  const answer = await fetch(`${address}/context/relevant-docs/${contextId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'How long is parental leave?' }),
    signal: AbortSignal.timeout(GIVE_UP_MS),
  })
  const found = (await answer.json()) as readonly unknown[]
  return answer.ok && found.length > 0
}

async function health(address: string): Promise<boolean> {
  const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(GIVE_UP_MS) })
  await answer.arrayBuffer()
  return answer.ok
}

/** Sends requests at fixed times, without waiting for earlier answers. */
async function probe(everyMs: number, endsAt: number, ask: () => Promise<boolean>): Promise<Latencies> {
  const asked: Promise<number>[] = []
  while (performance.now() < endsAt) {
    asked.push(timed(ask))
    await setTimeout(everyMs)
  }
  const all = await Promise.all(asked)
  const times = all.map((ms) => Math.min(ms, GIVE_UP_MS)).sort((one, other) => one - other)
  const at = (part: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)
  const failures = all.filter((ms) => ms === Number.POSITIVE_INFINITY).length
  return { p50: at(0.5), p99: at(0.99), max: at(1), requests: all.length, failures }
}

/** @returns infinity for a failure */
async function timed(ask: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  const isWell = await ask().catch(() => false)
  return isWell ? performance.now() - began : Number.POSITIVE_INFINITY
}

async function countMails(dataDir: string): Promise<number> {
  return (await readdir(join(dataDir, 'mail')).catch(() => [])).length
}

/** Samples the memory of a process several times a second. */
class PeakMemory {
  #peakKb = 0
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    this.#timer = setInterval(() => {
      void readFile(`/proc/${pid}/status`, 'utf8')
        .then((status) => {
          this.#peakKb = Math.max(this.#peakKb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0))
        })
        .catch(() => undefined)
    }, 100)
  }

  /** @returns MB; 0 on systems that do not report it */
  stop(): number {
    clearInterval(this.#timer)
    return Math.round(this.#peakKb / 1_024)
  }
}
