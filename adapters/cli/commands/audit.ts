import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../../../src/index.js'
import { withDatabase } from '../engines/engines.js'
import { globalOptions, option, parseCount, parseId } from '../options.js'
import { printList } from '../output/output.js'

const COLUMNS = ['id', 'time', 'action', 'outcome', 'companyId', 'actor', 'from', 'target', 'details'] as const
const DEFAULT_LIMIT = 50
const ACTIONS = Object.keys(AUDIT_ACTIONS) as AuditAction[]

export function auditCommand(): CommandUnknownOpts {
  const audit = new Command('audit').description('read the audit trail: who did what, from where, and when')
  audit.addCommand(listCommand())
  return audit
}

function listCommand(): CommandUnknownOpts {
  return new Command('list')
    .description('list the newest entries, ordered by id')
    .addOption(option('--limit <number>', 'most entries', 'audit').argParser(parseCount).default(DEFAULT_LIMIT))
    .addOption(option('--company <id>', 'only entries of this company', 'audit').argParser(parseId))
    .addOption(option('--action <action>', 'only entries with this action', 'audit').choices(ACTIONS))
    .addOption(option('--user <id>', 'only actions of this user', 'audit').argParser(parseId))
    .addOption(option('--from <time>', 'only entries at or after this time, such as 2030-01-31T12:00:00Z', 'audit'))
    .addOption(option('--to <time>', 'only entries before this time', 'audit'))
    .action(async ({ limit, company, action, user, from, to }, command) => {
      const options = globalOptions(command)
      const query = {
        limit,
        ...(company !== undefined && { companyId: company }),
        ...(action !== undefined && { action }),
        ...(user !== undefined && { userId: user }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      }
      const entries = await withDatabase(options, async ({ administration }) => {
        const listed: AuditEntry[] = []
        for await (const entry of administration.audit.entries(query)) listed.push(entry)
        return listed.reverse()
      })
      if (options.json) printList<AuditEntry>(options, entries, [])
      else printList(options, entries.map(toLine), COLUMNS)
    })
}

function toLine(entry: AuditEntry): Readonly<Record<(typeof COLUMNS)[number], unknown>> {
  const { actor, clientId, remoteAddress, targetType, targetId, details } = entry
  return {
    ...entry,
    actor: actor.userId === null ? actor.kind : `${actor.kind} ${actor.userId}`,
    from: [clientId, remoteAddress].filter((text) => text !== null).join(' '),
    target: targetId === null ? targetType : `${targetType} ${targetId}`,
    details: Object.entries(details)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
  }
}
