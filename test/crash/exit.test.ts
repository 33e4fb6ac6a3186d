import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundledModel } from '../bundled-model.js'
import { temporaryFolder } from '../temporary-folder.js'

describe('a host that exits right after closing', () => {
  it('ends with its own exit code when a model was computing', async () => {
    for (let round = 0; round < 3; round += 1) expect(await exitOf('model', bundledModel)).toEqual(ENDED_WELL)
  })

  it('ends with its own exit code when an engine was embedding', async () => {
    const folder = await temporaryFolder()
    expect(await exitOf('engine', folder.path)).toEqual(ENDED_WELL)
    await folder.remove()
  })
})

const ENDED_WELL = { code: 0, signal: null, stderr: '' }

/** The exit of a process that closes a model or an engine while it computes. */
async function exitOf(what: 'model' | 'engine', folder: string): Promise<typeof ENDED_WELL> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(import.meta.dirname, 'exit-child.mjs'), what, folder],
      (_error, _stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, signal: child.signalCode as null, stderr })
      },
    )
  })
}
