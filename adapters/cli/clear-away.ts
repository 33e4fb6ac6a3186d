import type { Engine } from '../../src/index.js'
import { tell } from './output.js'

/** Waits until what was deleted is off the disk, and says so where that has to wait for room. */
export async function clearAway(engine: Engine): Promise<void> {
  if ((await engine.whenCleared()) !== 'full') return
  tell('A disk is full: clearing away what was deleted waits for room, and goes on when Alcove runs and there is some.')
}
