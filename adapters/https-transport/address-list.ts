import { BlockList, isIP } from 'node:net'

/** 4 or 6; 0 for all that is no address, or one with a zone id: a zone is a link of this machine. */
export function familyOf(address: unknown): 0 | 4 | 6 {
  if (typeof address !== 'string' || address.includes('%')) return 0
  return isIP(address) as 0 | 4 | 6
}

/**
 * Networks and single addresses of both families.
 *
 * Node's BlockList takes what is no address, and an IPv6 address whose family is not named, for not
 * listed; and it finds IPv4-mapped addresses in lists of IPv4. Here each family has a list of its own, and
 * what is no address is in none: who blocks by such a list must block what has no family, too.
 */
export class AddressList {
  readonly #four = new BlockList()
  readonly #six = new BlockList()
  readonly #withMapped: boolean

  /**
   * @param networks such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`
   * @param options.withMapped whether an IPv4 address and its mapped spelling, `::ffff:192.0.2.1`, by which it
   *   is reached, are one: for lists of what is refused, never for one of what is allowed
   * @throws RangeError for the first one that is none
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
    // BlockList finds all of IPv4 in `::/0`, too: only what can be mapped alone goes beside it.
    const isFour = family === 4 || (this.#withMapped && prefix >= 96)
    const list = isFour ? this.#four : this.#six
    list.addSubnet(address, prefix, `ipv${family}`)
  }
}
