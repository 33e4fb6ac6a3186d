import { networkInterfaces } from 'node:os'
import { DestinationRefusedError, errorReason, InvalidInputError, isError } from '../../src/ports/index.js'
import { AddressList, familyOf, isPublicAddress } from './address-list.js'

/** An address and a port that the engine itself listens on. */
export interface OwnEndpoint {
  /** `0.0.0.0` and `::` mean every address of this machine. */
  readonly address: string
  readonly port: number
}

/** The operator's choices; `HttpsTransportOptions` describes each. */
interface AddressRuleOptions {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly ownEndpoints?: () => readonly OwnEndpoint[]
}

/** The endings of sentences about addresses that may not be contacted. The keys end the codes of their reasons. */
const REFUSALS = {
  malformed: 'is not an IP address',
  'of-engine': 'is an address of the engine itself',
  denied: 'is denied by the operator',
  'not-public': 'is not a public address',
  'of-machine': 'is an address of this machine',
} as const

type Refusal = keyof typeof REFUSALS

/** Returns the reason why an address may not be contacted; `undefined` if it may. */
type AddressCheck = (address: unknown) => Refusal | undefined

/**
 * Only the cause has the address to which a name resolves.
 *
 * @param destination.hostname a name, or the address itself
 */
export function refusalError(
  refusal: Refusal,
  {
    hostname,
    address,
    isAddress,
  }: { readonly hostname: string; readonly address: string; readonly isAddress: boolean },
): DestinationRefusedError {
  const ending = REFUSALS[refusal]
  if (isAddress) {
    return new DestinationRefusedError(`${address} ${ending}`, {
      reason: errorReason(`address-${refusal}`, { address }),
    })
  }
  return new DestinationRefusedError(`the name ${hostname} resolves to an address that ${ending}`, {
    cause: new Error(`${hostname} resolves to ${JSON.stringify(address)}, which ${ending}`),
    isByLookUp: true,
    reason: errorReason(`name-${refusal}`, { name: hostname }),
  })
}

/** The last one is `0.0.0.0` as a socket for both families reports it. */
const UNSPECIFIED = ['0.0.0.0', '::', '::ffff:0.0.0.0']
const UNSPECIFIED_LIST = new AddressList(UNSPECIFIED)

/**
 * Decides which addresses may be contacted. The engine itself is never contacted. Then the operator's denials count,
 * then the operator's permissions. All other addresses must be public and not belong to this machine.
 */
export class AddressRules {
  readonly #allowed: AddressList
  readonly #denied: AddressList
  readonly #ownEndpoints: () => readonly OwnEndpoint[]

  /**
   * @throws InvalidInputError with the field `allow` or `deny` for an entry that is neither an address nor a network
   */
  constructor({ allow = [], deny = [], ownEndpoints = () => [] }: AddressRuleOptions = {}) {
    this.#allowed = parseNetworks('allow', allow)
    this.#denied = parseNetworks('deny', deny, { withMapped: true })
    this.#ownEndpoints = ownEndpoints
  }

  /** Returns the current rules for a port. The addresses of this machine are read once for all checks. */
  checkAt(port: number): AddressCheck {
    const engineAddresses = listEngineAddresses(this.#ownEndpoints().filter((endpoint) => usesPort(endpoint, port)))
    let machineAddresses: AddressList | undefined
    return (address) => {
      if (familyOf(address) === 0) return 'malformed'
      if (engineAddresses?.has(address) === true) return 'of-engine'
      if (this.#denied.has(address)) return 'denied'
      if (this.#allowed.has(address)) return undefined
      if (!isPublicAddress(address)) return 'not-public'
      machineAddresses ??= new AddressList(readInterfaceAddresses(), { withMapped: true })
      return machineAddresses.has(address) ? 'of-machine' : undefined
    }
  }
}

function parseNetworks(
  field: 'allow' | 'deny',
  networks: readonly string[],
  options?: { readonly withMapped: boolean },
): AddressList {
  // In plain JavaScript it may be a string, whose characters would be taken for addresses.
  if (!Array.isArray(networks)) throw new InvalidInputError(field, 'must be a list of addresses and networks')
  try {
    return new AddressList(networks, options)
  } catch (cause) {
    const entry = isError(cause) && cause.name === 'RangeError' ? cause.message : ''
    const problem = `${JSON.stringify(entry)} must be an address or a network, such as 10.1.2.3, 10.1.0.0/16 or fd12:3456::/32`
    throw new InvalidInputError(field, problem, { cause })
  }
}

/**
 * True if the endpoint may use the port. A port may be a string. An unreadable port could be any port. 0 means that no
 * port is chosen yet.
 */
function usesPort(endpoint: { readonly port: unknown }, port: number): boolean {
  const ownPort = Number(endpoint.port)
  const isValid = Number.isInteger(ownPort) && ownPort >= 0 && ownPort < 65_536
  return ownPort === port || !isValid
}

function listEngineAddresses(endpoints: readonly OwnEndpoint[]): AddressList | undefined {
  if (endpoints.length === 0) return undefined
  // An address in another form, for example with a zone id, could be any address of this machine.
  const meansEveryAddress = ({ address }: OwnEndpoint): boolean =>
    familyOf(address) === 0 || UNSPECIFIED_LIST.has(address)
  const engineAddresses = endpoints.some(meansEveryAddress)
    ? ['127.0.0.0/8', '::1', ...readInterfaceAddresses()]
    : endpoints.map(({ address }) => address)
  // A connection to the unspecified address reaches this machine.
  return new AddressList([...UNSPECIFIED, ...engineAddresses], { withMapped: true })
}

function readInterfaceAddresses(): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
  return addresses.filter((address) => familyOf(address) !== 0)
}
