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
