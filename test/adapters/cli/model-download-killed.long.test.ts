import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HubServer, startHubServer } from '../../servers/hub-server.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { writeSmallModel } from '../tools/models/small-model.js'
import { runAlcove, startAlcove } from './run-alcove.js'

const WEIGHTS = /^\/cdn\/.*\.onnx$/
const PART = 2_000_000
const DOWNLOAD = ['model', 'download', 'maker/small', '--id', 'small']

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let hub: HubServer
beforeEach(async () => {
  folder = await temporaryFolder()
  hub = await startHubServer()
  await writeSmallModel(join(folder.path, 'published'))
  await hub.publish('maker/small', join(folder.path, 'published'))
})
afterEach(async () => {
  await hub.close()
  await folder.remove()
})

/** The bytes of the weights in the hidden folder; 0 before it is there. */
async function partBytes(): Promise<number> {
  const models = join(folder.path, 'alcove-data', 'models')
  const names = await readdir(models).catch(() => [])
  const hidden = names.find((name) => name.startsWith('.adding-download-'))
  const path = join(models, hidden ?? '', 'onnx/model_quantized.onnx')
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

describe('alcove model download', () => {
  it.each([
    ['SIGKILL', null],
    ['SIGINT', 130],
  ] as const)('goes on after %s where it was, and shows no half model meanwhile', async (signal, exitCode) => {
    const options = { cwd: folder.path, env: { HF_ENDPOINT: hub.url } }
    hub.fail({ path: WEIGHTS, stallAfter: PART })
    const { child, outcome } = startAlcove(DOWNLOAD, options)
    await expect.poll(partBytes).toBe(PART)
    child.kill(signal)
    expect(await outcome).toMatchObject({ exitCode, stdout: '' })

    const listed = await runAlcove(['model', 'list', '--json'], options)
    expect(JSON.parse(listed.stdout)).toHaveLength(1)
    hub.recover()
    hub.requests.length = 0
    const { stdout, stderr } = await runAlcove(DOWNLOAD, options)
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^Model small added/), ''])
    expect(hub.requests.filter(({ path }) => WEIGHTS.test(path))).toMatchObject([
      { range: expect.stringMatching(new RegExp(`^bytes=${PART}-`)) as string },
    ])
    expect((await readdir(join(folder.path, 'alcove-data', 'models'))).sort()).toEqual(['.download-lock', 'small'])
  })
})
