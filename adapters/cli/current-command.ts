import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** A process runs one command line. */
let current: CommandUnknownOpts | undefined

/** @param command undefined before a command line is read, in a process that runs several */
export function setCurrentCommand(command: CommandUnknownOpts | undefined): void {
  current = command
}

/** The command that runs, for messages about its options. Undefined before one begins. */
export function currentCommand(): CommandUnknownOpts | undefined {
  return current
}

/**
 * The flag of an option of the command that runs, or else of the whole program.
 *
 * @param names such as `maxTokens`; the first that the command has counts
 */
export function flagOf(...names: readonly string[]): string | undefined {
  for (let command = current; command !== undefined; command = command.parent ?? undefined) {
    const { options } = command
    const found = names.map((name) => options.find((option) => option.attributeName() === name)?.long)
    const flag = found.find((each) => each != null)
    if (flag != null) return flag
  }
  return undefined
}
