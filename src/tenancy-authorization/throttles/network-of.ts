/** A group of an IPv6 address, and an IPv4 address at its end. */
const GROUP = /^[0-9a-f]{1,4}$/
const IPV4_AT_END = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const GROUPS = 8
/** Of the groups, those that a provider gives to one customer: whoever has one address has all of its /64. */
const NETWORK_GROUPS = 4

/**
 * The network from which a request comes, as throttles count it: an IPv4 address, also one written as IPv6, or the
 * first 64 bits of an IPv6 address. A text that is no address stands for itself.
 */
export function networkOf(remoteAddress: string): string {
  const address = remoteAddress.trim().toLowerCase().replace(/%.*$/, '')
  if (!address.includes(':')) return address
  const groups = groupsOf(address)
  if (groups === undefined) return address
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function groupsOf(address: string): number[] | undefined {
  const hex = address.replace(IPV4_AT_END, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const halves = hex.split('::')
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = GROUPS - head.length - tail.length
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  return groups.every((group) => GROUP.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : undefined
}
