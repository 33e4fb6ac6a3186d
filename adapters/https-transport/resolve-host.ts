import { Resolver } from 'node:dns/promises'
import { isCode } from '../node-kit/index.js'

/** The time for which the second family is awaited after the first has answered. */
const SECOND_FAMILY_MS = 1_000

/**
 * Finds all addresses of a name, IPv4 first: its route works nearly everywhere.
 *
 * It uses c-ares, not `dns.lookup`, which runs getaddrinfo on the four threads of libuv. Strangers can choose names
 * that do not answer, and such look-ups would block the database and the files. So `/etc/hosts` is not read.
 *
 * If one family has no records, fails or hangs, the addresses of the other are still used. The transport dials only
 * addresses that it has seen and checked.
 *
 * @param options.servers addresses of DNS servers. Default: the system's servers.
 * @throws an error with a DNS code if neither family has an address
 */
export async function resolveHost(
  hostname: string,
  { signal, servers }: { readonly signal: AbortSignal; readonly servers?: readonly string[] },
): Promise<readonly string[]> {
  signal.throwIfAborted()
  // One resolver for each look-up: it can be cancelled as a whole, and it reads the system's current servers.
  const resolver = new Resolver({ timeout: 1_000, tries: 3 })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  let timer: NodeJS.Timeout | undefined
  const startTimerAfter = async (answer: Promise<string[]>): Promise<string[]> => {
    const addresses = await answer
    timer ??= setTimeout(cancel, SECOND_FAMILY_MS)
    return addresses
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return collectAddresses(
      await Promise.allSettled([
        startTimerAfter(resolver.resolve4(hostname)),
        startTimerAfter(resolver.resolve6(hostname)),
      ]),
    )
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function collectAddresses(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
  // The failure of a server says more than a family without records.
  throw errors.find((error) => !isWithoutRecords(error)) ?? errors[0] ?? new Error('no answer')
}

function isWithoutRecords(error: Error): boolean {
  return isCode(error, 'ENODATA', 'ENOTFOUND')
}
