import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Destination, DestinationRefusedError } from '../../../src/index.js'
import { RETRY_SCHEDULES, SIGNATURE_SCHEMES } from '../../../src/ports/index.js'
import { withDatabase } from '../engines/engines.js'
import { globalOptions, isSwitchedOn, option, parseId, parseList, parseNumber, webhookAllowOption } from '../options.js'
import { printList, printRecord, printResult } from '../output/output.js'
import { withPermission } from '../output/permission.js'
import { printQueued } from './delivery.js'

export function destinationCommand(): CommandUnknownOpts {
  const destination = new Command('destination').description('manage the destinations of events')
  destination.addCommand(addCommand())
  destination.addCommand(updateCommand())
  destination.addCommand(listCommand())
  destination.addCommand(showCommand())
  destination.addCommand(removeCommand())
  destination.addCommand(rotateCommand())
  destination.addCommand(testCommand())
  return destination
}

function addCommand(): CommandUnknownOpts {
  return new Command('add')
    .description('add a destination; its signing secret is shown only once')
    .argument('<url>')
    .addOption(option('--name <name>', 'name of the destination', 'destination'))
    .addOption(
      option(
        '--events <types>',
        'types of events to send, separated by commas; default: the nine run and agent types',
      ).argParser(parseList),
    )
    .addOption(option('--company <id>', 'company whose events it gets; default: the root company').argParser(parseId))
    .addOption(option('--include-descendants', 'send the events of all companies below too'))
    .addOption(signatureSchemeOption())
    .addOption(retryOption())
    .addOption(webhookAllowOption())
    .action(async (url, { name, events, company, signatureScheme, retry, webhookAllow }, command) => {
      const options = globalOptions(command)
      const added = await withDatabase(
        options,
        async ({ administration }) =>
          await administration.destinations.create({
            url,
            eventTypes: events ?? null,
            includeDescendants: isSwitchedOn(command, 'includeDescendants'),
            ...(name !== undefined && { name }),
            ...(company !== undefined && { customerId: company }),
            ...(signatureScheme !== undefined && { signatureScheme }),
            ...(retry !== undefined && { retry }),
          }),
        webhookAllow === undefined ? {} : { webhooks: { allow: webhookAllow } },
      ).catch(tellHowToPermit)
      printResult(options, added, [
        `Added destination ${added.id}, ${added.url}.`,
        `Signing secret: ${added.secret}`,
        'Save the secret now: it is not shown a second time.',
        ...serverNeeds(command, webhookAllow),
      ])
    })
}

function signatureSchemeOption() {
  return option(
    '--signature-scheme <scheme>',
    'signatures: of the service (the default), of Standard Webhooks, or both',
    'destination',
  ).choices(SIGNATURE_SCHEMES)
}

function retryOption() {
  return option(
    '--retry <schedule>',
    'attempts: three in seconds (the default), or eleven in a day',
    'destination',
  ).choices(RETRY_SCHEDULES)
}

function updateCommand(): CommandUnknownOpts {
  return new Command('update')
    .description('change a destination; its secret stays, and so does everything that no option names')
    .argument('<id>', 'id of the destination', parseId)
    .addOption(option('--url <url>', 'new URL', 'destination'))
    .addOption(option('--name <name>', 'new name', 'destination'))
    .addOption(
      option(
        '--events <types>',
        'types of events to send, separated by commas; "all": the nine run and agent types',
        'destination',
      ).argParser(parseList),
    )
    .addOption(
      option('--descendants <on|off>', 'send the events of all companies below too', 'destination').choices([
        'on',
        'off',
      ] as const),
    )
    .addOption(signatureSchemeOption())
    .addOption(retryOption())
    .addOption(option('--disable', 'send nothing to it').conflicts('enable'))
    .addOption(option('--enable', 'send events again, also after the answer 410'))
    .addOption(webhookAllowOption())
    .action(async (id, given, command) => {
      const options = globalOptions(command)
      const { url, name, events, descendants, signatureScheme, retry, webhookAllow } = given
      const isDisabled = isSwitchedOn(command, 'disable')
      const updated = await withDatabase(
        options,
        async ({ administration: { destinations } }) => {
          const before = await destinations.get(id)
          return await destinations.update(id, {
            url: url ?? before.url,
            eventTypes: events === undefined ? before.eventTypes : isAll(events) ? null : events,
            ...(name !== undefined && { name }),
            ...(descendants !== undefined && { includeDescendants: descendants === 'on' }),
            ...(signatureScheme !== undefined && { signatureScheme }),
            ...(retry !== undefined && { retry }),
            ...((isDisabled || isSwitchedOn(command, 'enable')) && { disabled: isDisabled }),
          })
        },
        webhookAllow === undefined ? {} : { webhooks: { allow: webhookAllow } },
      ).catch(tellHowToPermit)
      printResult(options, updated, [
        `Changed destination ${id}, ${updated.url}.`,
        ...serverNeeds(command, webhookAllow),
      ])
    })
}

function isAll(events: readonly string[]): boolean {
  return events.length === 1 && events[0] === 'all'
}

function listCommand(): CommandUnknownOpts {
  return new Command('list').description('list the destinations').action(async (_given, command) => {
    const options = globalOptions(command)
    const listed = await withDatabase(options, async ({ administration }) => await administration.destinations.list())
    printList(options, options.json ? listed : listed.map(readable), [
      'id',
      'customerId',
      'url',
      'name',
      'eventTypes',
      'includeDescendants',
      'signatureScheme',
      'retry',
      'disabled',
    ])
  })
}

function showCommand(): CommandUnknownOpts {
  return new Command('show')
    .description('show a destination')
    .argument('<id>', 'id of the destination', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const found = await withDatabase(options, async ({ administration }) => await administration.destinations.get(id))
      printRecord(options, options.json ? found : readable(found))
    })
}

function removeCommand(): CommandUnknownOpts {
  return new Command('remove')
    .description('remove a destination and cancel its pending deliveries')
    .argument('<id>', 'id of the destination', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const { url } = await withDatabase(options, async ({ administration: { destinations } }) => {
        const found = await destinations.get(id)
        await destinations.delete(id)
        return found
      })
      printResult(options, {}, `Removed destination ${id}, ${url}.`)
    })
}

function rotateCommand(): CommandUnknownOpts {
  return new Command('rotate')
    .description('replace the signing secret of a destination; the new one is shown only once')
    .argument('<id>', 'id of the destination', parseId)
    .addOption(
      option(
        '--overlap-hours <n>',
        'hours in which the old secret signs too, with the scheme standard or both; default: 24',
        'destination',
      ).argParser(parseNumber),
    )
    .action(async (id, { overlapHours }, command) => {
      const options = globalOptions(command)
      const rotated = await withDatabase(options, async ({ administration }) => {
        return await administration.destinations.rotateSecret(id, { overlapHours })
      })
      printResult(options, rotated, [
        `Replaced the signing secret of destination ${id}, ${rotated.url}.`,
        `Signing secret: ${rotated.secret}`,
        'Save the secret now: it is not shown a second time.',
        ...(rotated.previousSecretExpires === null
          ? []
          : [`The old secret signs too until ${rotated.previousSecretExpires}.`]),
      ])
    })
}

function testCommand(): CommandUnknownOpts {
  return new Command('test')
    .description('send a test event (run.started, of no run) to one destination')
    .argument('<id>', 'id of the destination', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      printQueued(
        options,
        await withDatabase(options, async ({ administration }) => await administration.destinations.test(id)),
      )
    })
}

/** Null does not include the types of documents and of the host, so it is not "all" for people. */
function readable(destination: Destination): Omit<Destination, 'eventTypes'> & { readonly eventTypes: unknown } {
  return { ...destination, eventTypes: destination.eventTypes ?? 'the nine run and agent types' }
}

/** A reminder that the permission of a command holds for its own check. A variable of the environment holds for both. */
function serverNeeds(command: CommandUnknownOpts, allowed: readonly string[] | undefined): readonly string[] {
  if (allowed === undefined || command.getOptionValueSource('webhookAllow') !== 'cli') return []
  const networks = allowed.join(',')
  return [`The server checks each delivery again: start "alcove serve" with --webhook-allow ${networks} too.`]
}

function tellHowToPermit(error: unknown): never {
  if (!(error instanceof DestinationRefusedError)) throw error
  throw new DestinationRefusedError(withPermission(error.message), { cause: error })
}
