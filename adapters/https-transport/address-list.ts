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
  readonly #lists = { 4: new BlockList(), 6: new BlockList() }

  /**
   * @param networks such as `10.0.0.0/8`, `2001:db8::/32` or `192.0.2.1`
   * @throws RangeError for the first one that is none
   */
  constructor(networks: readonly string[]) {
    for (const network of networks) this.#add(network)
  }

  has(address: unknown): boolean {
    const family = familyOf(address)
    return family !== 0 && this.#lists[family].check(address as string, `ipv${family}`)
  }

  #add(network: string): void {
    const [, address = '', bits] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(network) ?? []
    const family = familyOf(address)
    const size = family === 4 ? 32 : 128
    const prefix = Number(bits ?? size)
    if (family === 0 || prefix > size) throw new RangeError(network)
    this.#lists[family].addSubnet(address, prefix, `ipv${family}`)
  }
}
