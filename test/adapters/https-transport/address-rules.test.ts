import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'
import os from 'node:os'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { AddressRules } from '../../../adapters/https-transport/address-rules.js'
import { parseDestinationUrl } from '../../../adapters/https-transport/destination-url.js'
import { HttpsTransport } from '../../../adapters/https-transport/index.js'
import { DestinationRefusedError, InvalidInputError } from '../../../src/ports/index.js'
import { sized } from '../../full-form.js'
import { PUBLIC, REFUSED_IPV4, REFUSED_IPV6 } from './destination-addresses.js'

const rules = new AddressRules()
const refusalBy = (by: AddressRules, address: unknown, port = 443): string | undefined => by.checkAt(port)(address)

/** A copy of the adapter's list, on purpose: an address and the number of its leading bits that count. */
const NETWORKS_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
  .split(/\s+/)
  .map((network) => {
    const [address = '', bits = ''] = network.split('/')
    const size = 2 ** (32 - Number(bits))
    return { first: numberOf(address), size }
  })
const [TOP_2000, TOP_4000] = [0x2000n << 112n, 0x4000n << 112n]

function numberOf(ipv4: string): number {
  return ipv4.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

function groups(number: bigint): string {
  return Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - index * 16)) & 0xffffn).toString(16)).join(
    ':',
  )
}

const refusedIpv4 = fc
  .constantFrom(...NETWORKS_IPV4)
  .chain(({ first, size }) => fc.nat(size - 1).map((offset) => first + offset))

/** All spellings of an IPv4 address in the URL Standard: fewer parts, octal and hexadecimal ones, other digits and dots. */
function spellings(number: number): fc.Arbitrary<string> {
  const radix = fc.constantFrom(
    (part: number) => String(part),
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0X${part.toString(16).toUpperCase()}`,
    (part: number) => `0${part.toString(8)}`,
    (part: number) => `0x00${part.toString(16)}`,
  )
  const dot = fc.constantFrom('.', '.', '%2e', '%2E', '。', '．', '｡')
  const digit = fc.constantFrom(
    (digits: string) => digits,
    (digits: string) => digits.replaceAll(/\d/g, (one) => String.fromCodePoint(0xff10 + Number(one))),
    (digits: string) => digits.replaceAll(/\d/g, (one) => `%3${one}`),
  )
  const end = fc.constantFrom('', '.')
  return fc
    .record({ count: fc.integer({ min: 1, max: 4 }), radixes: fc.array(radix, { minLength: 4, maxLength: 4 }) })
    .chain(({ count, radixes }) =>
      fc.record({ dots: fc.array(dot, { minLength: 4, maxLength: 4 }), write: digit, end }).map((how) => {
        const octets = dotted(number).split('.').map(Number)
        const last = octets.slice(count - 1).reduce((sum, octet) => sum * 256 + octet, 0)
        const parts = [...octets.slice(0, count - 1), last].map((part, index) =>
          how.write(radixes[index]?.(part) ?? ''),
        )
        return parts.reduce((host, part, index) => `${host}${how.dots[index] ?? '.'}${part}`) + how.end
      }),
    )
}

describe('the rules for addresses', () => {
  it.each([...REFUSED_IPV4, ...REFUSED_IPV6])('S: refuse %s', (address) => {
    expect(refusalBy(rules, address)).toMatch(/^(not-public|malformed)$/)
  })

  it.each(PUBLIC)('S: accept %s', (address) => {
    expect(refusalBy(rules, address)).toBeUndefined()
  })

  it('S: refuse every address of a non-public network and no other address', () => {
    const belongs = (number: number): boolean =>
      NETWORKS_IPV4.some(({ first, size }) => number >= first && number < first + size)
    fc.assert(
      fc.property(fc.oneof(refusedIpv4, fc.nat(0xffffffff)), (number) => {
        expect(refusalBy(rules, dotted(number)) !== undefined).toBe(belongs(number))
      }),
      { numRuns: sized(1_000, 5_000) },
    )
  })

  it('S: refuse all of IPv6 outside 2000::/3, and embedded or reserved addresses within it', () => {
    const outside = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).filter((n) => n < TOP_2000 || n >= TOP_4000)
    const inside = fc
      .constantFrom(
        { first: 0x2001n << 112n, bits: 23n },
        { first: 0x20010db8n << 96n, bits: 32n },
        { first: 0x2002n << 112n, bits: 16n },
        { first: 0x2620004f8000n << 80n, bits: 48n },
        { first: 0x3fffn << 112n, bits: 20n },
      )
      .chain(({ first, bits }) =>
        fc.bigInt({ min: 0n, max: (1n << (128n - bits)) - 1n }).map((offset) => first + offset),
      )
    fc.assert(
      fc.property(fc.oneof(outside, inside), (number) => {
        expect(refusalBy(rules, groups(number))).toBe('not-public')
        expect(refusalBy(rules, groups(number).toUpperCase())).toBe('not-public')
      }),
      { numRuns: sized(1_000, 5_000) },
    )
  })

  it('S: refuse a text that is not an address', () => {
    const almost = fc
      .constantFrom('8.8.8.8', '2606:4700:4700::1111', '9.9.9.9')
      .chain((address) =>
        fc
          .record({ at: fc.nat(address.length), piece: fc.string({ minLength: 1, maxLength: 3 }) })
          .map(({ at, piece }) => address.slice(0, at) + piece + address.slice(at)),
      )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), almost), (value) => {
        if (typeof value === 'string' && isIP(value) !== 0 && !value.includes('%')) return
        expect(refusalBy(rules, value)).toBe('malformed')
      }),
      { numRuns: sized(1_000, 5_000) },
    )
    for (const value of [
      '',
      '8.8.8.8%eth0',
      '2606:4700::1%1',
      ' 8.8.8.8',
      '8.8.8.8\0',
      '08.8.8.8',
      ['8.8.8.8'],
      null,
    ]) {
      expect(refusalBy(rules, value)).toBe('malformed')
    }
  })

  it('S: refuse a non-public address in every spelling', async () => {
    const transport = new HttpsTransport()
    const spelled = refusedIpv4.chain((number) => spellings(number).map((host) => ({ host, address: dotted(number) })))
    await fc.assert(
      fc.asyncProperty(spelled, async ({ host, address }) => {
        expect(parseDestinationUrl(`https://${host}/`)).toMatchObject({ hostname: address, isAddress: true })
        await expect(transport.vetDestination(`https://${host}/`)).rejects.toThrow(DestinationRefusedError)
      }),
      { numRuns: sized(500, 2_000) },
    )
  })

  // S14
  it('accept addresses that the operator allows, in their family, and reject malformed options', () => {
    const allowing = new AddressRules({ allow: ['10.1.0.0/16', '192.168.7.7', 'fd12:3456::/32', '::1'] })
    for (const address of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12:3456:7::1', '0:0:0:0:0:0:0:1', '8.8.8.8']) {
      expect(refusalBy(allowing, address)).toBeUndefined()
    }
    for (const address of ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd12:3457::1', '::2', '::ffff:10.1.0.1']) {
      expect(refusalBy(allowing, address)).toBe('not-public')
    }
    const wrong = ['', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129', 'fe80::%1/64']
    for (const network of [...wrong, 'localhost', '*', '10.0.0.0/08', ' 10.0.0.0/8', '10.0.0.0-10.0.0.9']) {
      for (const field of ['allow', 'deny']) {
        const create = (): AddressRules => new AddressRules({ [field]: ['10.0.0.0/8', network] })
        expect(create).toThrow(InvalidInputError)
        expect(create).toThrow(
          `${field}: ${JSON.stringify(network)} must be an address or a network, such as 10.1.2.3, 10.1.0.0/16`,
        )
      }
    }
  })

  // S14
  it('refuse addresses that the operator denies, even public or allowed ones, in every spelling', () => {
    const deny = ['8.8.8.0/24', '10.1.1.0/24', '2606:4700::/32', '::ffff:9.9.9.9']
    const denying = new AddressRules({ deny, allow: ['10.1.0.0/16', '8.8.8.8', '::/0'] })
    const refused = [
      '8.8.8.8',
      '8.8.8.0',
      '10.1.1.1',
      '::ffff:8.8.8.8',
      '::ffff:a01:101',
      '2606:4700:4700::1111',
      '9.9.9.9',
    ]
    for (const address of refused) expect(refusalBy(denying, address)).toBe('denied')
    for (const address of ['8.8.7.255', '8.8.9.0', '10.1.2.1', '2606:4701::1', '::ffff:a01:201', '9.9.9.8']) {
      expect(refusalBy(denying, address)).toBeUndefined()
    }
    // A network of IPv6 contains no IPv4 address except the mapped ones.
    const noIpv6 = new AddressRules({ deny: ['::/0'], allow: ['::/0'] })
    expect(refusalBy(noIpv6, '8.8.8.8')).toBeUndefined()
    for (const address of ['2606:4700::1', '::ffff:8.8.8.8']) {
      expect(refusalBy(noIpv6, address)).toBe('denied')
    }
  })

  describe('for the addresses of this machine', () => {
    const [real, mine] = [os.networkInterfaces, ['8.8.4.4', '2001:4860:4860::8844']]
    let systemReads = 0
    const fake: typeof os.networkInterfaces = () => {
      systemReads += 1
      const [v4, v6] = mine as [string, string]
      const common = { mac: '', internal: false, cidr: null, netmask: '' }
      const one = { ...common, address: v4, family: 'IPv4' } as const
      return { eth0: [one, { ...common, address: v6, family: 'IPv6', scopeid: 0 }] }
    }

    beforeEach(() => {
      systemReads = 0
      os.networkInterfaces = fake
      syncBuiltinESMExports()
      return () => {
        os.networkInterfaces = real
        syncBuiltinESMExports()
      }
    })

    it('refuse them on every port, even if they are public, unless they are allowed', () => {
      for (const address of mine) {
        for (const port of [443, 8443]) expect(refusalBy(rules, address, port)).toBe('of-machine')
        expect(refusalBy(new AddressRules({ allow: [address] }), address)).toBeUndefined()
        const ownEndpoints = () => [{ address: '::', port: 443 }]
        const own = new AddressRules({ allow: [address], ownEndpoints })
        expect(refusalBy(own, address)).toBe('of-engine')
        expect(refusalBy(own, address, 444)).toBeUndefined()
      }
      for (const address of ['8.8.4.5', '2001:4860:4860::8845']) expect(refusalBy(rules, address)).toBeUndefined()
    })

    it('read them from the system once, however many addresses are checked', () => {
      const check = new AddressRules({ ownEndpoints: () => [{ address: '0.0.0.0', port: 8443 }] }).checkAt(443)
      for (let count = 0; count < 100; count += 1) expect(check('8.8.8.8')).toBeUndefined()
      expect(systemReads).toBe(1)
      const own = new AddressRules({ ownEndpoints: () => [{ address: '0.0.0.0', port: 443 }] }).checkAt(443)
      for (let count = 0; count < 100; count += 1) expect(own('8.8.4.4')).toBe('of-engine')
      expect(systemReads).toBe(2)
    })
  })

  // S13
  it("refuse the engine's own endpoint, whatever the operator allows", () => {
    const allow = ['0.0.0.0/0', '::/0']
    const refusal = (own: string, address: string, port = 8443, ownPort: unknown = 8443): string | undefined => {
      const ownEndpoints = () => [{ address: own, port: ownPort as number }]
      return refusalBy(new AddressRules({ allow, ownEndpoints }), address, port)
    }
    const refused = 'of-engine'
    expect(refusal('127.0.0.1', '127.0.0.1')).toBe(refused)
    expect(refusal('127.0.0.1', '::ffff:127.0.0.1')).toBe(refused)
    expect(refusal('::ffff:127.0.0.1', '127.0.0.1')).toBe(refused)
    expect(refusal('::1', '0:0:0:0:0:0:0:1')).toBe(refused)
    // Connections to the unspecified address arrive at this machine.
    for (const address of ['0.0.0.0', '::', '::ffff:0.0.0.0']) expect(refusal('127.0.0.1', address)).toBe(refused)
    expect(refusal('127.0.0.1', '127.0.0.2')).toBeUndefined()
    expect(refusal('127.0.0.1', '127.0.0.1', 443)).toBeUndefined()
    const every = ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::ffff:0:0', 'localhost', 'fe80::1%eth0']
    for (const own of every) {
      for (const address of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::ffff:7f00:1']) {
        expect(refusal(own, address)).toBe(refused)
      }
      expect(refusal(own, '8.8.8.8')).toBeUndefined()
    }
    // A port as text counts as that port. A value that is not a port could be any port. 0 is no port yet.
    expect(refusal('127.0.0.1', '127.0.0.1', 8443, '8443')).toBe(refused)
    expect(refusal('127.0.0.1', '127.0.0.1', 443, '8443')).toBeUndefined()
    for (const none of [{}, Number.NaN, 'https', 70_000]) {
      expect(refusal('127.0.0.1', '127.0.0.1', 443, none)).toBe(refused)
    }
    expect(refusal('127.0.0.1', '127.0.0.1', 443, 0)).toBeUndefined()
  })
})

describe("a destination's URL", () => {
  it('is returned in a canonical form', () => {
    const scheme = fc.constantFrom('https://', 'HTTPS://', 'https://', 'http://', '')
    const rest = fc.oneof(
      fc.webUrl().map((url) => url.replace(/^\w+:\/\//, '')),
      fc.string({ unit: 'binary' }),
      fc.domain(),
    )
    fc.assert(
      fc.property(scheme, rest, (start, end) => {
        let href = ''
        try {
          href = parseDestinationUrl(start + end).href
        } catch (error) {
          const isExpected = error instanceof InvalidInputError || error instanceof DestinationRefusedError
          expect(isExpected).toBe(true)
          return
        }
        expect(href).toMatch(/^https:\/\/[^/@#]+\//)
        expect(parseDestinationUrl(href).href).toBe(href)
      }),
      { numRuns: sized(1_000, 5_000) },
    )
  })
})
