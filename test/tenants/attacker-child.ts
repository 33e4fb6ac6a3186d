/**
 * One attack in a process of its own, so that its time is not the victim's. The parent sends the attack; the child
 * reports the outcomes.
 */
import { setPriority } from 'node:os'
import { ATTACKS, type Attacker } from './attacks.js'

const LOWEST_PRIORITY = 19
const TELL_EVERY_MS = 500

const counts: Record<string, number> = {}

process.once('message', ({ name, attacker }: { readonly name: string; readonly attacker: Attacker }) => {
  // The attacker's machine would be another one.
  setPriority(LOWEST_PRIORITY)
  ATTACKS[name]?.(attacker, (outcome) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1
  })
  setInterval(() => process.send?.(counts), TELL_EVERY_MS)
})
process.on('disconnect', () => process.exit(0))
