import { InvalidInputError } from '../../../src/index.js'
import { codeOf } from '../../node-kit/index.js'

/** The place where a server listens, and the options that name it. */
interface ListeningPlace {
  readonly host: string
  readonly port: number
  /** The field of the error. */
  readonly field: string
  readonly hostOption: string
  readonly portOption: string
  /** Another option of the same command, if it names the same port. */
  readonly samePortOption?: string | undefined
}

/** Starts a server. @throws InvalidInputError that names the option to change, if it cannot listen on its address */
export async function listening<T>(place: ListeningPlace, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const problem = problemOf(codeOf(error), place)
    if (problem === undefined) throw error
    const { host, port, field } = place
    throw new InvalidInputError(field, `cannot listen on ${host}:${port}: ${problem}`, { cause: error })
  }
}

function problemOf(
  code: string | undefined,
  { hostOption, portOption, samePortOption }: ListeningPlace,
): string | undefined {
  if (code === 'EADDRINUSE' && samePortOption !== undefined)
    return `${portOption} and ${samePortOption} name the same port; choose another with one of them`
  if (code === 'EADDRINUSE') return `the port is in use; choose another with ${portOption}, or 0 for a free one`
  if (code === 'EACCES') return `this user may not use the port; choose one above 1023 with ${portOption}`
  if (code === 'EADDRNOTAVAIL') return `this machine has no such address; choose another with ${hostOption}`
  return code === 'ENOTFOUND' ? `the host is unknown; choose another with ${hostOption}` : undefined
}
