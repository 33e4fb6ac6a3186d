import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpsTransport, type HttpsTransportOptions } from '../../../adapters/https-transport/index.js'
import { DestinationRefusedError, InvalidInputError, UnresolvedDestinationError } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { MALFORMED_URLS, PUBLIC, REFUSED_IPV4, REFUSED_IPV6, SPELLED_ADDRESSES } from './destination-addresses.js'
import { receiverOf, transportTo } from './local-transport.js'
import { postInChild } from './post-in-child.js'
import { status } from './receiver.js'

const HOOKS = 'hooks.example.test'
const post = (url: string) => ({ url, headers: { 'x-service-event': 'run.started' }, body: new Uint8Array(9) })

/** A transport whose names resolve to these lists, one after the other, and a count of its look-ups. */
function resolving(lists: readonly (readonly string[])[], options: HttpsTransportOptions = {}) {
  const lookUps: string[] = []
  const resolver = async (hostname: string): Promise<readonly string[]> => {
    lookUps.push(hostname)
    return lists[Math.min(lookUps.length, lists.length) - 1] ?? []
  }
  const transport = new HttpsTransport({ resolver, ...options })
  onTestFinished(() => transport.close())
  return { transport, lookUps }
}

describe('the rules for the form of a destination', () => {
  const { transport } = { transport: new HttpsTransport({ resolver: async () => ['93.184.216.34'] }) }
  const vet = async (url: string): Promise<string> => await transport.vetDestination(url)

  // S1
  it('allow only https, in any case', async () => {
    for (const scheme of [
      'http://',
      'file:///',
      'gopher://',
      'ftp://',
      'wss://',
      'data:',
      '//',
      '',
      'https:',
      'https:/',
    ]) {
      const reason = { code: 'not-https', parameters: {} } as const
      const refusal = new InvalidInputError('url', 'must begin with https://', { reason })
      await expect(vet(`${scheme}${HOOKS}/`)).rejects.toThrow(refusal)
    }
    for (const scheme of ['https://', 'HTTPS://', 'hTtPs://'])
      expect(await vet(`${scheme}${HOOKS}`)).toBe(`https://${HOOKS}/`)
    for (const url of [undefined, null, 7, {}, new URL(`https://${HOOKS}`)]) {
      await expect(vet(url as string)).rejects.toThrow(InvalidInputError)
    }
  })

  // S2
  it.each([
    ...[
      'localhost',
      'LOCALHOST',
      'a.localhost',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      'local%68ost',
      'localdomain',
      'a.localdomain',
      'ip6-localhost',
    ],
    ...[
      'metadata.google.internal',
      'METADATA.google.Internal',
      'internal',
      'printer.local',
      'a.b.LOCAL',
      'router.home.arpa',
    ],
    ...['home.arpa', 'hooks', 'metadata', 'kubernetes'],
  ])('refuse the local name %s, even if every address is allowed', async (name) => {
    const receiver = await receiverOf()
    const allowing = transportTo(receiver, { allow: ['0.0.0.0/0', '::/0'] })
    for (const host of [name, `${name}.`, name.toUpperCase()]) {
      await expect(vet(`https://${host}/`)).rejects.toThrow(DestinationRefusedError)
      await expect(allowing.vetDestination(receiver.urlOf(host))).rejects.toThrow('is a name of a local network')
      expect(await allowing.post(post(receiver.urlOf(host)))).toMatchObject({ kind: 'blocked' })
    }
    expect(receiver.connections).toHaveLength(0)
  })

  // S2
  it('accept names that only look like local ones', async () => {
    for (const name of ['localhost.example.com', 'notlocal.example', 'my-internal.example', 'home.arpa.example']) {
      expect(await vet(`https://${name}/`)).toBe(`https://${name}/`)
    }
  })

  // S3
  it.each([
    ...['https://8.8.8.8@127.0.0.1/', 'https://127.0.0.1:80@@127.2.2.2/', 'https://8.8.8.8#@127.0.0.1/'],
    ...[
      'https://8.8.8.8\\@127.0.0.1/',
      `https://@${HOOKS}/`,
      `https://:@${HOOKS}/`,
      `https://u:hunter2@${HOOKS}/?swordfish`,
    ],
    ...[`https://${HOOKS}/#`, `https://${HOOKS}/a#b`],
  ])('refuse the user or the fragment of %s', async (url) => {
    await expect(vet(url)).rejects.toThrow(InvalidInputError)
    await expect(vet(url)).rejects.not.toThrow(/hunter2|swordfish/)
    expect(await transport.post(post(url))).toMatchObject({ kind: 'blocked' })
  })

  // S4
  it('refuse some ports, whatever is allowed, and let a URL omit 443', async () => {
    const allowing = new HttpsTransport({ allow: ['0.0.0.0/0'], resolver: async () => ['127.0.0.1'] })
    for (const port of [
      0, 1, 22, 25, 53, 110, 465, 587, 5060, 6000, 6667, 10080, 1433, 1521, 3306, 5432, 6379, 11211, 27017,
    ]) {
      await expect(vet(`https://${HOOKS}:${port}/`)).rejects.toThrow(DestinationRefusedError)
      expect(await allowing.post(post(`https://127.0.0.1:${port}/`))).toEqual({
        kind: 'blocked',
        error: `the port ${port} may not be contacted`,
        reason: { code: 'refused-port', parameters: { port } },
      })
    }
    for (const spelled of ['', ':', ':443', ':00443'])
      expect(await vet(`https://${HOOKS}${spelled}/`)).toBe(`https://${HOOKS}/`)
    for (const port of [80, 444, 8443, 65535])
      expect(await vet(`https://${HOOKS}:${port}`)).toBe(`https://${HOOKS}:${port}/`)
  })

  // S5
  it('give each name one canonical form', async () => {
    const same = [
      'bücher.example',
      'BÜCHER.example',
      'bu\u0308cher.example',
      'b%C3%BCcher.example',
      'xn--bcher-kva.example.',
    ]
    for (const name of [...same, 'xn--bcher-kva.EXAMPLE:443', 'bücher。example']) {
      expect(await vet(`https://${name}/a?b=ü`)).toBe('https://xn--bcher-kva.example/a?b=%C3%BC')
    }
  })

  it.each(MALFORMED_URLS)('S: refuse %j as the URL of a destination', async (url) => {
    await expect(vet(url)).rejects.toThrow(InvalidInputError)
    expect(await transport.post(post(url))).toMatchObject({ kind: 'blocked' })
  })

  it('S: refuse every text that the URL Standard would repair', async () => {
    for (const url of [
      `https:///${HOOKS}/`,
      ` https://${HOOKS}/`,
      `https://${HOOKS}/ `,
      `https://${HOOKS}/\u00a0`,
      `https://${HOOKS}/\ud800`,
    ]) {
      await expect(vet(url)).rejects.toThrow(InvalidInputError)
    }
    for (const host of ["a'b.example", '*.example', 'a..example', '.example.test', 'example.test..', 'a,b.example']) {
      await expect(vet(`https://${host}/`)).rejects.toThrow(InvalidInputError)
    }
    const long = `https://${HOOKS}/${'a'.repeat(2_048 - HOOKS.length - 9)}`
    expect(await vet(long)).toBe(long)
    await expect(vet(`${long}a`)).rejects.toThrow('must have at most 2048 characters')
    await expect(vet(`https://${HOOKS}/${'ü'.repeat(1_000)}`)).rejects.toThrow('must have at most 2048 characters')
  })
})

describe('the rules for the addresses of a destination', () => {
  it.each([...REFUSED_IPV4, ...REFUSED_IPV6])('S: refuse %s, and nothing is sent', async (address) => {
    const receiver = await receiverOf()
    const url = receiver.urlOf(HOOKS)
    const options = { certificateAuthorities: [receiver.ca] }
    // The list also has the receiver's own address: a permitted request would arrive there.
    for (const answers of [[address], ['127.0.0.1', address], [address, '127.0.0.1']]) {
      const allow = address === '127.0.0.1' ? [] : ['127.0.0.1']
      const { transport } = resolving([answers], { ...options, allow })
      const error = expect.stringMatching(
        /^the name hooks\.example\.test resolves to an address that is not (a public|an IP) address$/,
      ) as string
      const code = expect.stringMatching(/^name-(not-public|malformed)$/) as string
      const reason = { code, parameters: { name: HOOKS } }
      expect(await transport.post(post(url))).toEqual({ kind: 'blocked', error, reason })
      await expect(transport.vetDestination(url)).rejects.toThrow(DestinationRefusedError)
    }
    if (!address.includes('%')) {
      const literal = receiver.urlOf(address.includes(':') ? `[${address}]` : address)
      const { transport, lookUps } = resolving([['127.0.0.1']], options)
      expect(await transport.post(post(literal))).toMatchObject({ kind: 'blocked' })
      await expect(transport.vetDestination(literal)).rejects.toThrow(DestinationRefusedError)
      expect(lookUps).toEqual([])
    }
    expect(receiver.connections).toHaveLength(0)
  })

  it('S: are the only reason why the receiver gets no refused request', async () => {
    const receiver = await receiverOf()
    const { transport } = resolving([['127.0.0.1']], { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'] })
    expect(await transport.post(post(receiver.urlOf(HOOKS)))).toMatchObject({ kind: 'response', httpStatus: 200 })
  })

  it.each(PUBLIC)('S: accept %s', async (address) => {
    const { transport } = resolving([[address]])
    const literal = `https://${address.includes(':') ? `[${address}]` : address}/`
    expect(await transport.vetDestination(literal)).toBe(literal)
    expect(await transport.vetDestination(`https://${HOOKS}`)).toBe(`https://${HOOKS}/`)
  })

  it.each(SPELLED_ADDRESSES)('S: read %s as an address and refuse it', async (host) => {
    const receiver = await receiverOf()
    const url = receiver.urlOf(host)
    const { transport } = resolving([['127.0.0.1']], { certificateAuthorities: [receiver.ca] })
    await expect(transport.vetDestination(url)).rejects.toThrow(DestinationRefusedError)
    await expect(transport.vetDestination(url)).rejects.toThrow(
      /^(127\.0\.0\.1|0\.0\.0\.0|169\.254\.169\.254) is not a/,
    )
    expect(await transport.post(post(url))).toMatchObject({ kind: 'blocked' })
    expect(receiver.connections).toHaveLength(0)
    if (new URL(url).hostname !== '127.0.0.1') return
    // Without the rule the request would arrive.
    const allowing = transportTo(receiver)
    expect(await allowing.post(post(url))).toMatchObject({ kind: 'response', httpStatus: 200 })
  })

  // S6
  it.each([
    [['93.184.216.34', '10.0.0.1']],
    [['10.0.0.1', '93.184.216.34']],
    [['93.184.216.34', 'fd00::1']],
    [['2606:4700:4700::1111', '192.168.0.1']],
    [['93.184.216.34', '2606:4700:4700::1111', '::ffff:127.0.0.1']],
    [['127.0.0.1', '']],
    [['127.0.0.1', 'hooks.example.test']],
  ])('refuse the mix %j', async (answers) => {
    const receiver = await receiverOf()
    const { transport } = resolving([answers], { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'] })
    await expect(transport.vetDestination(receiver.urlOf(HOOKS))).rejects.toThrow(DestinationRefusedError)
    expect(await transport.post(post(receiver.urlOf(HOOKS)))).toMatchObject({ kind: 'blocked' })
    expect(receiver.connections).toHaveLength(0)
  })

  // S7
  it('treat a name without addresses as a connection error, and refuse it for a new destination', async () => {
    const receiver = await receiverOf()
    const { transport } = resolving([[]], { allow: ['127.0.0.1'] })
    const reason = { code: 'name-unresolved', parameters: { name: HOOKS } } as const
    await expect(transport.vetDestination(receiver.urlOf(HOOKS))).rejects.toThrow(
      new UnresolvedDestinationError('url', `the name ${HOOKS} does not resolve`, { reason }),
    )
    const outcome = await transport.post(post(receiver.urlOf(HOOKS)))
    expect(outcome).toEqual({ kind: 'connection_error', error: `the name ${HOOKS} does not resolve`, reason })
    expect(receiver.connections).toHaveLength(0)
  })

  // S8
  it('prevent rebinding: the address of one look-up is used, with the name in TLS, Host and certificate', async () => {
    const receiver = await receiverOf()
    const lists = [['127.0.0.1'], ['10.0.0.1']]
    const { transport, lookUps } = resolving(lists, { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'] })
    expect(await transport.post(post(receiver.urlOf(HOOKS)))).toMatchObject({ kind: 'response', httpStatus: 200 })
    expect(lookUps).toEqual([HOOKS])
    expect(receiver.connections[0]?.servername).toBe(HOOKS)
    expect(receiver.requests[0]?.headers.host).toBe(`${HOOKS}:${receiver.port}`)
    const other = transportTo(receiver)
    expect(await other.post(post(receiver.urlOf('hooks.example.org')))).toMatchObject({
      error: 'the certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)',
    })
  })

  // S9
  it('block a name that is public at creation but not at delivery, and not a byte is sent', async () => {
    const receiver = await receiverOf({ respond: status(500) })
    const lists = [['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '10.0.0.1']]
    const { transport } = resolving(lists, { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'] })
    const url = await transport.vetDestination(receiver.urlOf(HOOKS))
    expect(await transport.post(post(url))).toMatchObject({ kind: 'response', httpStatus: 500 })
    const bytes = receiver.connections[0]?.bytesReceived
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      const error = `the name ${HOOKS} resolves to an address that is not a public address`
      const reason = { code: 'name-not-public', parameters: { name: HOOKS } }
      expect(await transport.post(post(url))).toEqual({ kind: 'blocked', error, reason })
    }
    expect(receiver.connections).toHaveLength(1)
    expect(receiver.connections[0]?.bytesReceived).toBe(bytes)
  })

  // S10
  it('require a look-up and a connection for each of two requests to one name', async () => {
    const receiver = await receiverOf()
    const options = { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'] }
    const { transport, lookUps } = resolving([['127.0.0.1']], options)
    for (let count = 0; count < 2; count += 1) await transport.post(post(receiver.urlOf(HOOKS)))
    expect(lookUps).toEqual([HOOKS, HOOKS])
    expect(receiver.connections).toHaveLength(2)
  })

  // S11
  it('do not follow a redirect to a metadata address', async () => {
    const location = 'https://169.254.169.254/latest/meta-data/'
    const receiver = await receiverOf({ respond: status(302, { location }) })
    expect(await transportTo(receiver).post(post(receiver.url))).toMatchObject({ kind: 'response', httpStatus: 302 })
    expect(receiver.connections).toHaveLength(1)
  })

  // S12
  it('ignore proxies of the environment', async () => {
    let taken = 0
    const proxy = createServer((socket) => {
      taken += 1
      socket.on('error', () => undefined).destroy()
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void proxy.close())
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const receiver = await receiverOf()
    const env = {
      ...Object.fromEntries(names.map((name) => [name, url])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: '',
      no_proxy: '',
    }
    const options = { certificateAuthorities: [receiver.ca], allow: ['127.0.0.1'], answers: ['127.0.0.1'] }
    for (const target of [receiver.url, receiver.urlOf(HOOKS)]) {
      expect(await postInChild(target, options, env)).toEqual({ kind: 'response', httpStatus: 200 })
    }
    expect(receiver.connections).toHaveLength(2)
    expect(taken).toBe(0)
  })

  // S13
  it("refuse the engine's own endpoint, even by its name or if every address is allowed", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
    for (const own of ['127.0.0.1', '0.0.0.0', '::']) {
      const receiver = await receiverOf()
      const everything = { certificateAuthorities: [receiver.ca], allow: ['0.0.0.0/0', '::/0'] }
      let port = receiver.port
      const ownEndpoints = (): { address: string; port: number }[] => [{ address: own, port }]
      const { transport } = resolving([['127.0.0.1']], { ...everything, ownEndpoints })
      const reached = ['[::ffff:127.0.0.1]', '0.0.0.0', '0', '127.1', ...(own === '127.0.0.1' ? [] : addresses)]
      for (const host of [HOOKS, ...reached.map((address) => (isIP(address) === 6 ? `[${address}]` : address))]) {
        const outcome = await transport.post(post(receiver.urlOf(host)))
        const error = expect.stringMatching(/is an address of the engine itself$/) as string
        const code = host === HOOKS ? 'name-of-engine' : 'address-of-engine'
        expect(outcome).toEqual({ kind: 'blocked', error, reason: expect.objectContaining({ code }) as object })
        await expect(transport.vetDestination(receiver.urlOf(host))).rejects.toThrow(DestinationRefusedError)
      }
      expect(receiver.connections).toHaveLength(0)
      // The transport reads the port at every check.
      port += 1
      expect(await transport.post(post(receiver.url))).toMatchObject({ kind: 'response' })
    }
  })

  // S14
  it('permit addresses that the operator allows, and no others', async () => {
    const receiver = await receiverOf()
    const certificateAuthorities = [receiver.ca]
    const outcome = async (allow: string[]): Promise<string> =>
      (await resolving([['127.0.0.1']], { certificateAuthorities, allow }).transport.post(post(receiver.urlOf(HOOKS))))
        .kind
    expect(await outcome(['127.0.0.1'])).toBe('response')
    expect(await outcome(['10.0.0.0/8', '127.0.0.0/30'])).toBe('response')
    expect(receiver.connections).toHaveLength(2)
    expect(await outcome(['127.0.0.2'])).toBe('blocked')
    expect(await outcome(['::1', '::ffff:0:0/96'])).toBe('blocked')
    expect(await outcome([])).toBe('blocked')
    expect(receiver.connections).toHaveLength(2)
  })

  // S14
  it('check certificates against those of Node, of NODE_EXTRA_CA_CERTS and of the option', async () => {
    const receiver = await receiverOf()
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const file = join(folder.path, 'ca.pem')
    await writeFile(file, receiver.ca)
    const allow = ['127.0.0.1']
    const untrusted = {
      kind: 'connection_error',
      error: expect.stringContaining('the certificate is not trusted') as string,
      reason: { code: 'certificate-not-trusted', parameters: { system: expect.any(String) as string } },
    }
    const trusted = { kind: 'response', httpStatus: 200 }
    expect(await postInChild(receiver.url, { allow })).toEqual(untrusted)
    expect(await postInChild(receiver.url, { allow }, { NODE_EXTRA_CA_CERTS: file })).toEqual(trusted)
    const beside = { allow, certificateAuthorities: rootCertificates.slice(0, 1) }
    expect(await postInChild(receiver.url, beside)).toEqual(untrusted)
    expect(await postInChild(receiver.url, beside, { NODE_EXTRA_CA_CERTS: file })).toEqual(trusted)
    expect(await postInChild(receiver.url, { allow, certificateAuthorities: [receiver.ca] })).toEqual(trusted)
    // The variable that turns all checks off has no effect here.
    expect(await postInChild(receiver.url, { allow }, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual(untrusted)
  })
})
