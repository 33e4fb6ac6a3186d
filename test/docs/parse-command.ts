import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { buildProgram } from '../../scripts/reference/cli-program.js'

/** A part of the line that the reader replaces: `$ID`, `CONTEXT`. */
const PLACEHOLDER = /\$|^[A-Z][A-Z0-9_-]*$/

/** Parses a command line without running it. Returns its error, or `undefined` without one. */
export async function parseCommand(args: readonly string[]): Promise<string | undefined> {
  const program = withoutActions(buildProgram())
  // The command line itself does the same.
  const asked = args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args
  try {
    await program.parseAsync(asked, { from: 'user' })
    return undefined
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? undefined : error.message
  }
}

function withoutActions(command: CommandUnknownOpts): CommandUnknownOpts {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined })
  const isGroup = command.commands.length > 0 && command.options.every(({ long }) => long !== '--context')
  if (!isGroup) command.action(() => undefined)
  for (const part of [...command.options, ...command.registeredArguments]) letPlaceholdersPass(part)
  for (const child of command.commands) withoutActions(child)
  return command
}

function letPlaceholdersPass(part: { parseArg?: ((value: string, previous: never) => unknown) | undefined }): void {
  const { parseArg } = part
  if (parseArg === undefined) return
  part.parseArg = (value, previous) => (PLACEHOLDER.test(value) ? value : parseArg(value, previous))
}
