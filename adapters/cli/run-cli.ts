import { CommanderError } from '@commander-js/extra-typings'
import { AlcoveError } from '../../src/index.js'
import { buildProgram } from './program.js'

const FAILED = 1
const WRONG_USAGE = 2

/**
 * Runs one command line.
 *
 * Results go to stdout; errors, progress and logs to stderr.
 *
 * @param args what stands behind `alcove`
 * @returns the exit code: 0, 1 for a failure, 2 for wrong usage
 */
export async function runCli(args: readonly string[]): Promise<number> {
  // Whoever reads the output may stop reading: `alcove … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    await buildProgram().parseAsync(args, { from: 'user' })
    return typeof process.exitCode === 'number' ? process.exitCode : 0
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    process.stderr.write(`alcove: ${describe(error)}\n`)
    return FAILED
  }
}

/** One line: what is wrong, and what to do. */
function describe(error: unknown): string {
  if (error instanceof AlcoveError) return `${error.message} (${error.code})`.replaceAll(/\s*\n\s*/g, ' ')
  const message = error instanceof Error ? error.message : String(error)
  return `an unexpected error: ${message.replaceAll(/\s*\n\s*/g, ' ')}`
}
