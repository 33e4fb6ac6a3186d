import { BlockList, isIP } from 'node:net'

/** Returns 4 or 6. Returns 0 for a value that is not an address, or has a zone id: a zone is a link of this machine. */
export function familyOf(address: unknown): 0 | 4 | 6 {
  if (typeof address !== 'string' || address.includes('%')) return 0
  return isIP(address) as 0 | 4 | 6
}

/**
 * A list of networks and single addresses of both families.
 *
 * Node's BlockList reports a value that is not an address as not listed. It does the same with an IPv6 address whose
 * family is not named. It also finds IPv4-mapped addresses in lists of IPv4. Here each family has its own list, and a
 * value that is not an address is in none. A caller that blocks by such a list must also block values without a family.
 */
export class AddressList {
  readonly #four = new BlockList()
  readonly #six = new BlockList()
  readonly #withMapped: boolean

  /**
   * @param networks such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`
   * @param options.withMapped true to treat an IPv4 address and its mapped form, `::ffff:192.0.2.1`, by which it is
   *   reachable, as one: for lists of refused addresses, never for lists of allowed ones
   * @throws RangeError with the first entry that is neither an address nor a network
   */
  constructor(networks: readonly string[], { withMapped = false }: { readonly withMapped?: boolean } = {}) {
    this.#withMapped = withMapped
    for (const network of networks) this.#add(network)
  }

  has(address: unknown): boolean {
    const family = familyOf(address)
    if (family === 0) return false
    const isInFour = (family === 4 || this.#withMapped) && this.#four.check(address as string, `ipv${family}`)
    return isInFour || (family === 6 && this.#six.check(address as string, 'ipv6'))
  }

  #add(network: string): void {
    const [, address = '', bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(network) ?? []
    const family = familyOf(address)
    const size = family === 4 ? 32 : 128
    const prefix = Number(bits ?? size)
    if (family === 0 || prefix > size) throw new RangeError(network)
    // BlockList also finds all of IPv4 in `::/0`. So only networks that can be mapped are added to the IPv4 list.
    const isFour = family === 4 || (this.#withMapped && prefix >= 96)
    const list = isFour ? this.#four : this.#six
    list.addSubnet(address, prefix, `ipv${family}`)
  }
}

/**
 * IPv4 networks that are not public destinations (IANA IPv4 Special-Purpose Address Registry, RFC 6890; RFC 5771; RFC
 * 1112).
 */
const REFUSED_IPV4 = new AddressList([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; in it the metadata service of Alibaba Cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16', // the platform service of Azure, within a public network
  '169.254.0.0/16', // link-local; in it most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; in it the metadata service of Oracle Cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/**
 * The IPv6 network that is assigned to the public (IANA IPv6 Address Space registry). Outside it are loopback,
 * link-local, unique local and multicast addresses. Addresses that contain an IPv4 address are also outside it: mapped,
 * compatible, translated (64:ff9b::/96).
 */
const GLOBAL_UNICAST_IPV6 = new AddressList(['2000::/3'])

/** Networks in it that are not public destinations (IANA IPv6 Special-Purpose Address Registry). */
const REFUSED_IPV6 = new AddressList([
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which contains an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])

/** True for an address of the public internet. False for a value that is not an address, or has a zone id. */
export function isPublicAddress(address: unknown): boolean {
  const family = familyOf(address)
  if (family === 4) return !REFUSED_IPV4.has(address)
  return family === 6 && GLOBAL_UNICAST_IPV6.has(address) && !REFUSED_IPV6.has(address)
}
