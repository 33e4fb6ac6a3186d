import type { Engine } from '../../src/index.js'
import { tell } from './output.js'

/** Waits until deleted data is off the disk. Tells the user if that has to wait for disk space. */
export async function clearAway(engine: Engine): Promise<void> {
  if ((await engine.whenCleared()) !== 'full') return
  tell('a disk is full: free some space; the next run of Alcove then removes the deleted data')
}
