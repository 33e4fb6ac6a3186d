import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** The answer to a question: addresses, an alias with its addresses, a failure, or silence. */
export type DnsAnswer =
  | { readonly alias?: string; readonly addresses: readonly string[] }
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'silence'

export interface DnsServer {
  /** Address in the form that `Resolver.setServers` accepts. */
  readonly address: string
  /** Record types of the questions, in order of arrival. */
  readonly questions: readonly ('A' | 'AAAA')[]
  close(): void
}

const TYPES = { A: 1, AAAA: 28, CNAME: 5 } as const
const CODES = { NXDOMAIN: 3, SERVFAIL: 2 } as const

/** A DNS server on this machine (RFC 1035, section 4) for every name. */
export async function startDnsServer(answers: { readonly A: DnsAnswer; readonly AAAA: DnsAnswer }): Promise<DnsServer> {
  const questions: ('A' | 'AAAA')[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    // The question ends with the root's empty label, its type and its class. The rest of the message is ignored.
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4) === TYPES.A ? 'A' : 'AAAA'
    questions.push(type)
    const answer = answers[type]
    if (answer !== 'silence') socket.send(response(query.subarray(0, end), type, answer), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => void socket.close() }
}

function response(query: Buffer, type: 'A' | 'AAAA', answer: Exclude<DnsAnswer, 'silence'>): Buffer {
  const records = typeof answer === 'string' ? [] : recordsOf(type, answer)
  const head = Buffer.from(query)
  head.writeUInt16BE(0x8180 + (typeof answer === 'string' ? CODES[answer] : 0), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}

function recordsOf(type: 'A' | 'AAAA', { alias, addresses }: Exclude<DnsAnswer, string>): Buffer[] {
  const name = alias === undefined ? Buffer.from([0xc0, 12]) : nameOf(alias)
  const records = addresses.map((address) => record(name, TYPES[type], bytesOf(address)))
  return alias === undefined ? records : [record(Buffer.from([0xc0, 12]), TYPES.CNAME, name), ...records]
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(60, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, fixed, data])
}

function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** Bytes of an address. An IPv6 address must have all eight groups. */
function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  )
}
