import { CommanderError } from '@commander-js/extra-typings'
import { AlcoveError } from '../../src/index.js'
import { messageOf } from '../../src/ports/index.js'
import { setCurrentCommand } from './current-command.js'
import { withOptionOfField } from './option-of-field.js'
import { messageLine, oneLine } from './output/output.js'
import { buildProgram } from './program.js'

const FAILED = 1
const WRONG_USAGE = 2

/**
 * Runs one command line.
 *
 * Results go to stdout; errors, progress and logs to stderr.
 *
 * @param args the arguments after `alcove`
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage
 */
export async function runCli(args: readonly string[]): Promise<number> {
  reportOutputErrors()
  setCurrentCommand(undefined)
  try {
    await buildProgram().parseAsync(withHelpOfSubcommand(args), { from: 'user' })
    return typeof process.exitCode === 'number' ? process.exitCode : 0
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    process.stderr.write(`alcove: ${messageLine(describe(error))}\n`)
    return FAILED
  }
}

/** Reports an error of stdout, such as a full disk, once. The command continues to its end. */
function reportOutputErrors(): void {
  let isReported = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader may stop reading: `alcove … | head`.
    if (error.code === 'EPIPE' || isReported) return
    isReported = true
    process.exitCode = FAILED
    process.stderr.write(`alcove: the output cannot be written: ${oneLine(error.message)}\n`)
  })
  // No stream is left to report these to.
  process.stderr.on('error', () => undefined)
}

/**
 * `alcove` alone is `alcove help`. Commander's `help` takes one command only: `help context create` is `context create
 * --help`.
 */
function withHelpOfSubcommand(args: readonly string[]): readonly string[] {
  if (args.length === 0) return ['help']
  return args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args
}

/** The error in one line: what is wrong and what to do. */
function describe(error: unknown): string {
  if (error instanceof AlcoveError) {
    // An engine goes on by itself when its disk takes data again, a command that has ended does not.
    const message = error.message.replace(/, then the work continues$/, ', then run the command again')
    return `${withOptionOfField(message)} (${error.code})`.replaceAll(/\s*\n\s*/g, ' ')
  }
  const message = messageOf(error)
  return `unexpected error: ${message.replaceAll(/\s*\n\s*/g, ' ')}`
}
