import { readFileSync } from 'node:fs'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { keyCommand, permissionCommand, roleCommand } from './commands/access.js'
import { auditCommand } from './commands/audit.js'
import { accountCommand, companyCommand } from './commands/company.js'
import { contextCommand } from './commands/context.js'
import { backupCommand, migrateCommand, restoreCommand } from './commands/data-folder.js'
import { deliveryCommand, eventCommand } from './commands/delivery.js'
import { demoCommand } from './commands/demo.js'
import { destinationCommand } from './commands/destination.js'
import { doctorCommand } from './commands/doctor.js'
import { documentsCommand, ingestCommand } from './commands/documents.js'
import { evaluateCommand } from './commands/evaluate.js'
import { initCommand } from './commands/init.js'
import { mcpCommand } from './commands/mcp.js'
import { modelCommand } from './commands/model.js'
import { prepareCommand } from './commands/prepare.js'
import { reindexCommand } from './commands/reindex.js'
import { searchCommand } from './commands/search.js'
import { exportOpenapiCommand, serveCommand } from './commands/serve.js'
import { syncCommand } from './commands/sync.js'
import { userCommand } from './commands/user.js'
import { setCurrentCommand } from './current-command.js'
import { collectLimits, option, parseCount, parseFile, parseFolder } from './options.js'
import { oneLine } from './output/output.js'

const COMMANDS = [
  initCommand,
  demoCommand,
  contextCommand,
  ingestCommand,
  syncCommand,
  searchCommand,
  prepareCommand,
  evaluateCommand,
  documentsCommand,
  reindexCommand,
  doctorCommand,
  modelCommand,
  companyCommand,
  accountCommand,
  roleCommand,
  userCommand,
  permissionCommand,
  keyCommand,
  destinationCommand,
  deliveryCommand,
  eventCommand,
  auditCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  serveCommand,
  mcpCommand,
  exportOpenapiCommand,
]

/** The whole command line. `--data-dir` and `--json` may stand anywhere on it. */
export function buildProgram(): CommandUnknownOpts {
  const program = new Command('alcove')
    .description('Custom assistants with searched documents, in one folder on this machine.')
    .version(packageVersion())
    .addOption(option('--data-dir <dir>', 'folder with all data').argParser(parseFolder).default('./alcove-data'))
    .addOption(option('--json', 'print one JSON value on stdout'))
    .addOption(
      option('--temp-dir <dir>', 'folder for temporary files; default: the folder with all data').argParser(
        parseFolder,
      ),
    )
    .addOption(
      option('--secret-key-file <file>', 'file with the key that encrypts the stored secrets').argParser(parseFile),
    )
    .addOption(option('--database-url <url>', 'PostgreSQL database, instead of the one in the data folder'))
    .addOption(
      option('--files-url <url>', 'bucket for the files, such as s3://bucket/prefix, instead of the data folder'),
    )
    .addOption(
      option('--limits <name=number>', 'limit of tenants, such as usersPerCompany=50000; repeatable').argParser(
        collectLimits,
      ),
    )
    .addOption(
      option(
        '--embedding-url <url>',
        'server with the embedding model, such as http://127.0.0.1:11434/v1; default: that of OpenAI, which needs a key',
      ),
    )
    .addOption(option('--embedding-model <name>', 'model on that server, for new contexts'))
    .addOption(option('--embedding-id <id>', 'name of that model for contexts; default: that of the server'))
    .addOption(option('--embedding-key-file <file>', 'file with the key of that server').argParser(parseFile))
    .addOption(
      option('--embedding-dimensions <count>', 'numbers of a vector; default: the server is asked').argParser(
        parseCount,
      ),
    )
    .addOption(
      option('--embedding-window <tokens>', 'most tokens that the model reads at once; default: 512').argParser(
        parseCount,
      ),
    )
    .addOption(option('--embedding-query-prefix <text>', 'text that the model wants before every query'))
    .addOption(option('--embedding-passage-prefix <text>', 'text that the model wants before every passage'))
    .addOption(
      option('--embedding-query-body <json>', 'members that each request for queries has too, for servers that ask'),
    )
    .addOption(option('--embedding-passage-body <json>', 'the same for passages, such as {"input_type":"document"}'))
    .addOption(
      option('--reranker-url <url>', 'server that orders the best hits once more, such as http://127.0.0.1:8000/v1'),
    )
    .addOption(option('--reranker-model <name>', 'model on that server; default: its only one'))
    .addOption(option('--reranker-key-file <file>', 'file with the key of that server').argParser(parseFile))
    .addOption(option('--ocr <languages>', 'languages of scans and pictures, such as eng+deu; default: no OCR'))
  program.hook('preAction', (_program, command) => setCurrentCommand(command))
  for (const command of COMMANDS) program.addCommand(command())
  return reportUsageErrors(program)
}

/** Makes every command throw on wrong usage, instead of ending the process, and report it in one line. */
function reportUsageErrors(command: CommandUnknownOpts): CommandUnknownOpts {
  command.exitOverride()
  command.configureHelp({ showGlobalOptions: true })
  command.configureOutput({
    outputError: (message, write) => {
      const line = message
        .trim()
        .replace(/^error: /, '')
        .replaceAll(/\s*\n\s*/g, ' ')
        .replace(/\.$/, '')
      write(`alcove: ${oneLine(line)}; ${helpHint(command)}\n`)
    },
  })
  if (command.commands.length > 0) requireSubcommand(command)
  for (const child of command.commands) reportUsageErrors(child)
  return command
}

function helpHint(command: CommandUnknownOpts): string {
  const names: string[] = []
  for (let each = command; each.parent !== null; each = each.parent) names.unshift(each.name())
  if (names.length === 0) return '"alcove help" lists the commands'
  const shown = command.commands.length > 0 ? 'its commands' : 'its options'
  return `"alcove help ${names.join(' ')}" lists ${shown}`
}

/** Makes a group without a subcommand wrong usage like any other: one line, not a page of help. */
function requireSubcommand(group: CommandUnknownOpts): void {
  const names = group.commands.map((command) => command.name()).join(', ')
  group.addHelpText('before', ({ error: isError }) =>
    isError ? group.error(`error: missing subcommand of '${group.name()}'; expected one of ${names}`) : '',
  )
}

function packageVersion(): string {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { readonly version: string }).version
}
