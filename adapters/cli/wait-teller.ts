import type { AlcoveError } from '../../src/index.js'
import { tell } from './output/output.js'

/** Makes a function that tells the user for which reason documents wait: each reason once, however many documents wait. */
export function waitTeller(): (reason: AlcoveError) => void {
  const told = new Set<string>()
  return ({ message, code }) => {
    if (told.has(message)) return
    told.add(message)
    tell(`waiting: ${message} (${code})`)
  }
}
