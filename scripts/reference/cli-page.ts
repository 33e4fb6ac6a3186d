/** The page of the command line, made of the program that parses it. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { buildProgram } from './cli-program.js'
import { code, generatedNote, page, sentence, table } from './markdown.js'

const INTRODUCTION = `Every command takes the global options. They may stand before the command or behind it.

An environment variable gives an option that the command line leaves out. An empty variable gives nothing.

Results go to stdout. Errors, progress and logs go to stderr. With \`--json\` stdout is exactly one JSON value, and it is empty after an error.

The exit code is 0 for success, 1 for a failure and 2 for wrong usage. A command that a signal ends has 130 (SIGINT, as by Ctrl-C) or 143 (SIGTERM); \`alcove serve\` and \`alcove mcp\` have 0. [Errors](errors.md) lists the codes that an error message ends with.`

export function cliPage(): string {
  const program = buildProgram()
  const commands = leavesOf(program)
  const overview = commands.map((command) => [
    `[${code(pathOf(command))}](#${pathOf(command).replaceAll(' ', '-')})`,
    sentence(command.description()),
  ])
  return page(
    '# Command line',
    generatedNote('the commands themselves'),
    sentence(program.description()),
    INTRODUCTION,
    '## Commands',
    table(['Command', 'Purpose'], overview),
    '`alcove help COMMAND` and `alcove COMMAND --help` print the help of a command. `alcove --version` prints the version.',
    '## Global options',
    optionTable(program),
    ...commands.flatMap(section),
  )
}

/** The commands that do something: a group alone is wrong usage. */
function leavesOf(command: CommandUnknownOpts): CommandUnknownOpts[] {
  if (command.commands.length === 0) return [command]
  const own = hasAction(command) && command.parent !== null ? [command] : []
  return [...own, ...command.commands.filter((child) => child.name() !== 'help').flatMap(leavesOf)]
}

/** A group that has arguments or options of its own can be run itself. */
function hasAction(command: CommandUnknownOpts): boolean {
  return command.registeredArguments.length > 0 || shownOptions(command).length > 0
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function section(command: CommandUnknownOpts): string[] {
  const options = shownOptions(command)
  const words = [
    pathOf(command),
    ...options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    ...(options.some(({ mandatory }) => !mandatory) ? ['[options]'] : []),
    ...command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    }),
  ]
  return [
    `## ${pathOf(command)}`,
    sentence(command.description()),
    `\`\`\`text\n${words.join(' ')}\n\`\`\``,
    argumentTable(command),
    optionTable(command),
  ]
}

function argumentTable(command: CommandUnknownOpts): string {
  if (command.registeredArguments.every(({ description }) => description === '')) return ''
  const rows = command.registeredArguments.map((argument) => [
    code(argument.name()),
    sentence(withChoices(argument.description, argument.argChoices)),
    defaultOf(argument),
  ])
  return table(['Argument', 'Meaning', 'Default'], rows)
}

function optionTable(command: CommandUnknownOpts): string {
  const options = shownOptions(command)
  if (options.length === 0) return ''
  const rows = options.map((option) => [
    code(option.flags),
    option.envVar === undefined ? '' : code(option.envVar),
    option.mandatory ? 'required' : defaultOf(option),
    sentence(withChoices(option.description, option.argChoices)),
  ])
  return table(['Option', 'Environment variable', 'Default', 'Meaning'], rows)
}

function shownOptions(command: CommandUnknownOpts): readonly Option[] {
  return command.options.filter(({ hidden, long }) => !hidden && long !== '--version')
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description}: ${choices.map(code).join(', ')}`
}

function defaultOf({
  defaultValue,
  defaultValueDescription,
}: {
  readonly defaultValue?: unknown
  readonly defaultValueDescription?: string | undefined
}): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription
  return defaultValue === undefined
    ? ''
    : code(typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue))
}
