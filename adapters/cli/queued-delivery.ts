import type { Delivery } from '../../src/index.js'
import type { GlobalOptions } from './options.js'
import { printResult } from './output.js'

/** The sentence holds both while a server runs beside this command and while none runs. */
export const SENT_BY_RELAY = 'A running "alcove serve" on this folder sends it; if none runs, the next one does.'

export function printQueued(options: GlobalOptions, delivery: Delivery): void {
  const { id, type, destinationId } = delivery
  printResult(options, delivery, [
    `Queued delivery ${id} (${type}) to destination ${destinationId}. ${SENT_BY_RELAY}`,
    `"alcove delivery show ${id}" shows its state.`,
  ])
}
