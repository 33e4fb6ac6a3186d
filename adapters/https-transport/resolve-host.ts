import { Resolver } from 'node:dns/promises'

/** How long one family is still waited for once the other has answered. */
const SECOND_FAMILY_MS = 1_000

/**
 * All addresses of a name, IPv4 first: its route works nearly everywhere.
 *
 * By c-ares, not by `dns.lookup`: that runs getaddrinfo on the four threads of libuv, where look-ups of
 * names that do not answer, which strangers can choose, would keep the database and the files waiting.
 * So `/etc/hosts` is not read.
 *
 * A family that has no records, fails or hangs does not hide what the other one has: only addresses that
 * were seen, and so checked, are dialled.
 *
 * @param options.servers addresses of DNS servers, by default the system's
 * @throws an error with a code of DNS where neither family has an address
 */
export async function resolveHost(
  hostname: string,
  { signal, servers }: { readonly signal: AbortSignal; readonly servers?: readonly string[] },
): Promise<readonly string[]> {
  signal.throwIfAborted()
  // One for each look-up: it can be cancelled as a whole, and reads the system's servers as they are now.
  const resolver = new Resolver({ timeout: 1_000, tries: 3 })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  let timer: NodeJS.Timeout | undefined
  const limited = async (answer: Promise<string[]>): Promise<string[]> => {
    const addresses = await answer
    timer ??= setTimeout(cancel, SECOND_FAMILY_MS)
    return addresses
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return addressesOf(
      await Promise.allSettled([limited(resolver.resolve4(hostname)), limited(resolver.resolve6(hostname))]),
    )
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function addressesOf(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
  // That a server failed says more than that one family has no records.
  throw errors.find((error) => !isMissing(error)) ?? errors[0] ?? new Error('no answer')
}

function isMissing(error: Error): boolean {
  return 'code' in error && (error.code === 'ENODATA' || error.code === 'ENOTFOUND')
}
