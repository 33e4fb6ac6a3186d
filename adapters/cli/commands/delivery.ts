import { Argument, Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import {
  type Attempt,
  CATALOG,
  type Delivery,
  type DeliveryOperations,
  type DeliveryQuery,
  type NewEvent,
} from '../../../src/index.js'
import { DELIVERY_STATUSES } from '../../../src/ports/index.js'
import { withDatabase } from '../engines/engines.js'
import { type GlobalOptions, globalOptions, option, parseCount, parseId } from '../options.js'
import { printList, printRecord, printResult } from '../output/output.js'
import { withPermission } from '../output/permission.js'

const COLUMNS = ['id', 'type', 'destinationId', 'status', 'httpStatus', 'attemptCount', 'error', 'created'] as const
const DEFAULT_LIMIT = 50
/** The most deliveries in one page of the log. */
const MAX_PAGE_SIZE = 500

/** The sentence holds both while a server runs beside this command and while none runs. */
const SENT_BY_RELAY = 'A running "alcove serve" on this folder sends it; if none runs, the next one does.'

export function deliveryCommand(): CommandUnknownOpts {
  const delivery = new Command('delivery').description(
    'read the delivery log: each event, its destination and its outcome',
  )
  delivery.addCommand(listCommand())
  delivery.addCommand(showCommand())
  delivery.addCommand(resendCommand())
  return delivery
}

function listCommand(): CommandUnknownOpts {
  return new Command('list')
    .description('list the newest deliveries, ordered by id')
    .addOption(option('--destination <id>', 'only deliveries to this destination').argParser(parseId))
    .addOption(option('--status <status>', 'only deliveries with this status').choices(DELIVERY_STATUSES))
    .addOption(option('--limit <number>', 'most deliveries').argParser(parseCount).default(DEFAULT_LIMIT))
    .action(async ({ destination, status, limit }, command) => {
      const options = globalOptions(command)
      const query = {
        ...(destination !== undefined && { destinationId: destination }),
        ...(status !== undefined && { status }),
      }
      const listed = await withDatabase(options, async ({ administration }) => {
        return await newest(administration.deliveries, query, limit)
      })
      printList<Delivery>(options, options.json ? listed : listed.map(readable), COLUMNS)
    })
}

function showCommand(): CommandUnknownOpts {
  return new Command('show')
    .description('show a delivery with its attempts')
    .argument('<id>', 'id of the delivery', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      const found = await withDatabase(options, async ({ administration }) => await administration.deliveries.get(id))
      printRecord(
        options,
        options.json ? found : { ...readable(found), attempts: found.attempts.map(describe).join('\n') },
      )
    })
}

function resendCommand(): CommandUnknownOpts {
  return new Command('resend')
    .description('send the same bytes to the same destination as a new delivery')
    .argument('<id>', 'id of the delivery', parseId)
    .action(async (id, _given, command) => {
      const options = globalOptions(command)
      printQueued(
        options,
        await withDatabase(options, async ({ administration }) => await administration.deliveries.resend(id)),
      )
    })
}

/** The newest deliveries, the oldest of them first. */
async function newest(deliveries: DeliveryOperations, query: DeliveryQuery, limit: number): Promise<Delivery[]> {
  const found: Delivery[] = []
  let position: Pick<DeliveryQuery, 'cursor'> = {}
  while (found.length < limit) {
    const page = await deliveries.list({ ...query, ...position, limit: Math.min(limit - found.length, MAX_PAGE_SIZE) })
    found.push(...page.items)
    if (page.nextCursor === null) break
    position = { cursor: page.nextCursor }
  }
  return found.reverse()
}

/** People see which option of the server permits a blocked address. */
function readable<Shown extends Delivery>(delivery: Shown): Shown {
  return delivery.error === null ? delivery : { ...delivery, error: withPermission(delivery.error, 'serve') }
}

function describe({ started, outcome, httpStatus, durationMs, error, responseBody }: Attempt, index: number): string {
  const status = httpStatus === null ? '' : ` ${httpStatus}`
  const duration = durationMs === null ? '' : ` after ${durationMs} ms`
  const details = [error ?? '', responseBody === null || responseBody === '' ? '' : `answer: ${responseBody}`]
  const lines = details.filter((text) => text !== '').map((text) => `\n   ${text}`)
  return `${index + 1}. ${started} ${outcome ?? 'under way'}${status}${duration}${lines.join('')}`
}

export function printQueued(options: GlobalOptions, delivery: Delivery): void {
  const { id, type, destinationId } = delivery
  printResult(options, delivery, [
    `Queued delivery ${id} (${type}) to destination ${destinationId}. ${SENT_BY_RELAY}`,
    `"alcove delivery show ${id}" shows its state.`,
  ])
}

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
  event
    .command('types')
    .description('list the event types that destinations can name')
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const types = await withDatabase(options, async ({ events }) => await events.catalog())
      const shown = types.map(({ data, ...entry }) => ({ ...entry, data: Object.keys(data).join(', ') }))
      printList<Readonly<Record<'type' | 'description' | 'data', unknown>>>(options, options.json ? types : shown, [
        'type',
        'description',
        'data',
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
