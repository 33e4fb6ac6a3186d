import { stat } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpsTransport } from '../../../adapters/https-transport/index.js'
import { resolveHost } from '../../../adapters/https-transport/resolve-host.js'
import { runningTime } from '../../running-time.js'
import { type DnsAnswer, type DnsServer, startDnsServer } from './dns-server.js'
import { receiverOf } from './local-transport.js'

const HOOKS = 'hooks.example.test'
const NONE: DnsAnswer = { addresses: [] }
const IPV4: DnsAnswer = { addresses: ['93.184.216.34', '93.184.216.35'] }
const IPV6: DnsAnswer = { addresses: ['2606:4700:4700:0:0:0:0:1111'] }

async function serverOf(A: DnsAnswer, AAAA: DnsAnswer): Promise<DnsServer> {
  const server = await startDnsServer({ A, AAAA })
  onTestFinished(() => server.close())
  return server
}

async function resolve(A: DnsAnswer, AAAA: DnsAnswer): Promise<readonly string[]> {
  const { address } = await serverOf(A, AAAA)
  return await resolveHost(HOOKS, { signal: new AbortController().signal, servers: [address] })
}

describe('a look-up', () => {
  it('returns the addresses of both families, IPv4 first, with one query for each family', async () => {
    const server = await serverOf(IPV4, IPV6)
    const { signal } = new AbortController()
    const addresses = await resolveHost(HOOKS, { signal, servers: [server.address] })
    expect(addresses).toEqual(['93.184.216.34', '93.184.216.35', '2606:4700:4700::1111'])
    expect([...server.questions].sort()).toEqual(['A', 'AAAA'])
  })

  it('returns one family if the other has no addresses or fails', async () => {
    for (const missing of [NONE, 'NXDOMAIN', 'SERVFAIL'] as const) {
      expect(await resolve(IPV4, missing)).toHaveLength(2)
      expect(await resolve(missing, IPV6)).toEqual(['2606:4700:4700::1111'])
    }
  })

  it('returns one family after a second if the other gets no answer', async () => {
    const start = performance.now()
    const ranMs = runningTime()
    expect(await Promise.all([resolve(IPV4, 'silence'), resolve('silence', IPV6)])).toHaveLength(2)
    expect(performance.now() - start).toBeGreaterThan(900)
    expect(ranMs()).toBeLessThan(1_500)
  })

  // S7
  it('fails without addresses, with the most specific error code', async () => {
    await expect(resolve('NXDOMAIN', 'NXDOMAIN')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(resolve(NONE, NONE)).rejects.toMatchObject({ code: 'ENODATA' })
    await expect(resolve(NONE, 'SERVFAIL')).rejects.toMatchObject({ code: 'ESERVFAIL' })
  })

  // S7
  it('follows an alias, and the transport does not connect to a private address behind it', async () => {
    const receiver = await receiverOf()
    const server = await serverOf({ alias: 'inner.example.test', addresses: ['127.0.0.1'] }, NONE)
    const transport = new HttpsTransport({
      resolver: async (hostname, { signal }) => await resolveHost(hostname, { signal, servers: [server.address] }),
    })
    const outcome = await transport.post({ url: receiver.urlOf(HOOKS), headers: {}, body: new Uint8Array() })
    expect(outcome).toEqual({
      kind: 'blocked',
      error: `the name ${HOOKS} resolves to an address that is not a public address`,
      reason: { code: 'name-not-public', parameters: { name: HOOKS } },
    })
    expect(receiver.connections).toHaveLength(0)
  })

  it('stops at once when it is aborted', async () => {
    const { address } = await serverOf('silence', 'silence')
    const aborting = new AbortController()
    const looking = resolveHost(HOOKS, { signal: aborting.signal, servers: [address] })
    setTimeout(() => aborting.abort(), 100)
    const ranMs = runningTime()
    await expect(looking).rejects.toMatchObject({ code: 'ECANCELLED' })
    expect(ranMs()).toBeLessThan(300)
    await expect(resolveHost(HOOKS, { signal: AbortSignal.abort(), servers: [address] })).rejects.toThrow('aborted')
  })

  // D6
  it('stops at the deadline if the server is silent', async () => {
    const { address } = await serverOf('silence', 'silence')
    const transport = new HttpsTransport({
      resolver: async (hostname, { signal }) => await resolveHost(hostname, { signal, servers: [address] }),
    })
    const start = performance.now()
    const ranMs = runningTime()
    const outcome = await transport.post({ url: `https://${HOOKS}/`, headers: {}, body: new Uint8Array() })
    expect(outcome.kind).toBe('timeout')
    expect(performance.now() - start).toBeGreaterThan(4_750)
    expect(ranMs()).toBeLessThan(5_250)
  })

  it('leaves the threads to files and databases while it waits for an answer', async () => {
    const { address } = await serverOf('silence', 'silence')
    const aborting = Array.from({ length: 16 }, () => new AbortController())
    const looking = aborting.map(async ({ signal }) => {
      await expect(resolveHost(HOOKS, { signal, servers: [address] })).rejects.toThrow('ECANCELLED')
    })
    const ranMs = runningTime()
    await stat('.')
    expect(ranMs()).toBeLessThan(200)
    for (const one of aborting) one.abort()
    await Promise.all(looking)
  })
})
