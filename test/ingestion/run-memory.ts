import { once } from 'node:events'
import { join } from 'node:path'
import { forkProgram } from '../child-program.js'
import type { MemoryReport } from './memory-child.js'

/** Uploads so much text in a separate process. */
export async function runMemory(options: {
  readonly megabytes: number
  readonly model: 'quick' | 'real'
}): Promise<MemoryReport> {
  const script = join(import.meta.dirname, 'memory-child.ts')
  const child = await forkProgram(script, [String(options.megabytes), options.model])
  let report: MemoryReport | undefined
  child.on('message', (message) => {
    report = message as MemoryReport
  })
  await once(child, 'exit')
  if (report === undefined) throw new Error(`the process ended with ${child.exitCode ?? child.signalCode ?? ''}`)
  return report
}
