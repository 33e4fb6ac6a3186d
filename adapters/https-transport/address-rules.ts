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

/** What an operator decides; each is said in `HttpsTransportOptions`. */
export interface AddressRuleOptions {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly ownEndpoints?: () => readonly OwnEndpoint[]
}

/** Why an address may not be contacted, as the end of a sentence about it; undefined where it may. */
export type AddressCheck = (address: unknown) => string | undefined

/** The last one is `0.0.0.0` as a socket for both families tells it. */
const UNSPECIFIED = ['0.0.0.0', '::', '::ffff:0.0.0.0']
const UNSPECIFIED_LIST = new AddressList(UNSPECIFIED)

/**
 * Which addresses may be contacted: never the engine itself; else not what the operator denies; else what
 * the operator allows; else public ones that are not of this machine.
 */
export class AddressRules {
  readonly #allowed: AddressList
  readonly #denied: AddressList
  readonly #ownEndpoints: () => readonly OwnEndpoint[]

  /** @throws InvalidInputError with the field `allow` or `deny` for what is neither an address nor a network */
  constructor({ allow = [], deny = [], ownEndpoints = () => [] }: AddressRuleOptions = {}) {
    this.#allowed = listOf('allow', allow)
    this.#denied = listOf('deny', deny, { withMapped: true })
    this.#ownEndpoints = ownEndpoints
  }

  /** The rules for a port as they are now; what this machine is, is asked once for all addresses. */
  checkAt(port: number): AddressCheck {
    const own = ownList(this.#ownEndpoints().filter((endpoint) => isAt(endpoint, port)))
    let machine: AddressList | undefined
    return (address) => {
      if (familyOf(address) === 0) return 'is no address'
      if (own?.has(address) === true) return 'is an address of the engine itself'
      if (this.#denied.has(address)) return 'is denied by the operator'
      if (this.#allowed.has(address)) return undefined
      if (!isPublicAddress(address)) return 'is not a public address'
      machine ??= new AddressList(interfaceAddresses(), { withMapped: true })
      return machine.has(address) ? 'is an address of this machine' : undefined
    }
  }
}

function listOf(
  field: 'allow' | 'deny',
  networks: readonly string[],
  options?: { readonly withMapped: boolean },
): AddressList {
  // In plain JavaScript it may be a text, whose characters would be taken for addresses.
  if (!Array.isArray(networks)) throw new InvalidInputError(field, 'must be a list of addresses and networks')
  try {
    return new AddressList(networks, options)
  } catch (cause) {
    const wrong = cause instanceof RangeError ? cause.message : ''
    const problem = `${JSON.stringify(wrong)} must be an address or a network, such as 10.1.2.3, 10.1.0.0/16 or fd12:3456::/32`
    throw new InvalidInputError(field, problem, { cause })
  }
}

/** A port may come as text. One that is told in any other way could be any; 0 is none, before one is chosen. */
function isAt(endpoint: { readonly port: unknown }, port: number): boolean {
  const own = Number(endpoint.port)
  const isPort = Number.isInteger(own) && own >= 0 && own < 65_536
  return own === port || !isPort
}

function ownList(endpoints: readonly OwnEndpoint[]): AddressList | undefined {
  if (endpoints.length === 0) return undefined
  // An address that is told in another way, such as by a zone id, could be any of this machine.
  const isEvery = ({ address }: OwnEndpoint): boolean => familyOf(address) === 0 || UNSPECIFIED_LIST.has(address)
  const own = endpoints.some(isEvery)
    ? ['127.0.0.0/8', '::1', ...interfaceAddresses()]
    : endpoints.map(({ address }) => address)
  // A connection to the unspecified address arrives at this machine.
  return new AddressList([...UNSPECIFIED, ...own], { withMapped: true })
}

function interfaceAddresses(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  return addresses.filter((address) => familyOf(address) !== 0)
}
