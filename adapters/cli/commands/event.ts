import { Argument, Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import { CATALOG, type NewEvent } from '../../../src/index.js'
import { withDatabase } from '../engines.js'
import { globalOptions, option, parseId } from '../options.js'
import { printResult } from '../output.js'
import { SENT_BY_RELAY } from '../queued-delivery.js'

export function eventCommand(): CommandUnknownOpts {
  const event = new Command('event').description('record events for destinations')
  event
    .command('record')
    .description('record an event and queue its deliveries')
    .addArgument(new Argument('<type>').choices(CATALOG.map(({ type }) => type)))
    .argument('<data>', 'data of the event as JSON, such as \'{"agentId":7}\'', parseJson)
    .addOption(option('--company <id>', 'company of the event; default: the root company').argParser(parseId))
    .action(async (type, data, { company }, command) => {
      const options = globalOptions(command)
      const recorded = await withDatabase(options, async ({ events, owner }) => {
        // The engine reports missing data.
        return await events.record({ type, data, companyId: company ?? owner.companyId } as NewEvent)
      })
      const { id, deliveries } = recorded
      printResult(options, recorded, [
        `Recorded ${type}, ${id}, ${forWhom(deliveries)}.`,
        ...(deliveries === 0 ? [] : [SENT_BY_RELAY]),
      ])
    })
  return event
}

function forWhom(deliveries: number): string {
  if (deliveries === 0) return 'for no destination, because none subscribes to it'
  return `for ${deliveries} ${deliveries === 1 ? 'destination' : 'destinations'}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidArgumentError('Expected JSON; quote it for the shell.')
  }
}
