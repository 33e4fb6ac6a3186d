import type { Delivery } from '../../src/index.js'
import type { GlobalOptions } from './options.js'
import { printResult } from './output.js'

/** Who sends what is queued here; true with a server beside this command, and without one. */
export const SENT_BY_RELAY =
  'Sent by the relay that works on this folder ("alcove serve"), or by the next one that does.'

/** Prints a delivery that was made now. */
export function printQueued(options: GlobalOptions, delivery: Delivery): void {
  const { id, type, destinationId } = delivery
  printResult(options, delivery, [
    `Queued delivery ${id} (${type}) to destination ${destinationId}. ${SENT_BY_RELAY}`,
    `"alcove delivery show ${id}" tells what came of it.`,
  ])
}
