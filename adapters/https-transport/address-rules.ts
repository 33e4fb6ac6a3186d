import { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { InvalidInputError } from '../../src/ports/index.js'
import { AddressList, familyOf } from './address-list.js'
import { isPublicAddress } from './public-addresses.js'

/** An address and a port that the engine itself listens on. */
export interface OwnEndpoint {
  /** `0.0.0.0` and `::` mean every address of this machine. */
  readonly address: string
  readonly port: number
}

const UNSPECIFIED = new AddressList(['0.0.0.0', '::'])

/** Which addresses may be contacted: never the engine itself; else what the operator allows; else public ones. */
export class AddressRules {
  readonly #allowed: AddressList
  readonly #ownEndpoints: () => readonly OwnEndpoint[]

  /** @throws InvalidInputError with the field `allow` for what is neither an address nor a network */
  constructor(allow: readonly string[], ownEndpoints: () => readonly OwnEndpoint[]) {
    this.#ownEndpoints = ownEndpoints
    try {
      this.#allowed = new AddressList(allow)
    } catch (cause) {
      const wrong = cause instanceof RangeError ? cause.message : ''
      const problem = `${JSON.stringify(wrong)} must be an address or a network, such as 10.1.2.3, 10.1.0.0/16 or fd12:3456::/32`
      throw new InvalidInputError('allow', problem, { cause })
    }
  }

  /** Why an address may not be contacted, as the end of a sentence about it; undefined where it may. */
  refusalOf(address: unknown, port: number): string | undefined {
    if (familyOf(address) === 0) return 'is no address'
    if (this.#isOwn(address as string, port)) return 'is an address of the engine itself'
    return this.#allowed.has(address) || isPublicAddress(address) ? undefined : 'is not a public address'
  }

  /** One list for both families, on purpose: so it finds the IPv4-mapped spellings of what it has. */
  #isOwn(address: string, port: number): boolean {
    const endpoints = this.#ownEndpoints().filter((endpoint) => endpoint.port === port)
    if (endpoints.length === 0) return false
    // A connection to the unspecified address arrives at this machine.
    const own = listOf(['0.0.0.0', '::'])
    for (const endpoint of endpoints) addEndpoint(own, endpoint)
    return own.check(address, `ipv${familyOf(address) as 4 | 6}`)
  }
}

function addEndpoint(own: BlockList, { address }: OwnEndpoint): void {
  // An address that is told in another way, such as by a zone id, could be any of this machine.
  if (familyOf(address) === 0 || UNSPECIFIED.has(address)) addThisMachine(own)
  else addAddress(own, address)
}

function addThisMachine(own: BlockList): void {
  own.addSubnet('127.0.0.0', 8, 'ipv4')
  own.addAddress('::1', 'ipv6')
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { address } of addresses ?? []) addAddress(own, address)
  }
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList()
  for (const address of addresses) addAddress(list, address)
  return list
}

function addAddress(list: BlockList, address: string): void {
  const family = familyOf(address)
  if (family !== 0) list.addAddress(address, `ipv${family}`)
}
