import { CommanderError } from '@commander-js/extra-typings'
import { AlcoveError } from '../../src/index.js'
import { oneLine } from './output.js'
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
  watchOutput()
  try {
    await buildProgram().parseAsync(withHelpOfSubcommand(args), { from: 'user' })
    return typeof process.exitCode === 'number' ? process.exitCode : 0
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    process.stderr.write(`alcove: ${oneLine(describe(error))}\n`)
    return FAILED
  }
}

/** A full disk is told once, whenever it is found; the command goes on to its end. */
function watchOutput(): void {
  let isTold = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads the output may stop reading: `alcove … | head`.
    if (error.code === 'EPIPE' || isTold) return
    isTold = true
    process.exitCode = FAILED
    process.stderr.write(`alcove: the output cannot be written: ${oneLine(error.message)}\n`)
  })
  // There is nowhere left to tell of these.
  process.stderr.on('error', () => undefined)
}

/** Commander's `help` takes one command only: `help context create` is `context create --help`. */
function withHelpOfSubcommand(args: readonly string[]): readonly string[] {
  return args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args
}

/** One line: what is wrong, and what to do. */
function describe(error: unknown): string {
  if (error instanceof AlcoveError) return `${error.message} (${error.code})`.replaceAll(/\s*\n\s*/g, ' ')
  const message = error instanceof Error ? error.message : String(error)
  return `an unexpected error: ${message.replaceAll(/\s*\n\s*/g, ' ')}`
}
