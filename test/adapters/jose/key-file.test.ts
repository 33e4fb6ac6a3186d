import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { JoseTokenSigner } from '../../../adapters/jose/index.js'
import { withFileLock } from '../../../adapters/node-kit/index.js'
import { forkProgram } from '../../child-program.js'
import { temporaryFolder } from '../../temporary-folder.js'

const SCRIPT = join(import.meta.dirname, 'rotate-child.ts')
const PROCESSES = 4
const KILLS = 12

it('keeps each reported key while processes rotate at the same time and are killed, and no lock outlives its process', async () => {
  const folder = await temporaryFolder()
  const keyFile = join(folder.path, 'signing-keys.json')
  await new JoseTokenSigner({ keyFile }).open()
  const kids: string[] = []
  let [lastAt, longestGapMs] = [0, 0]
  const start = async (): Promise<ChildProcess> => {
    const child = await forkProgram(SCRIPT, [keyFile])
    child.on('message', (kid: string) => {
      const now = performance.now()
      if (lastAt > 0) longestGapMs = Math.max(longestGapMs, now - lastAt)
      lastAt = now
      kids.push(kid)
    })
    return child
  }
  const kill = async (child: ChildProcess): Promise<void> => {
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    expect(child.signalCode).toBe('SIGKILL')
  }
  const children = await Promise.all(Array.from({ length: PROCESSES }, start))
  await Promise.all(children.map((child) => once(child, 'message')))
  for (let kills = 0; kills < KILLS; kills += 1) {
    await setTimeout(50 + 17 * kills)
    const [oldest] = children.splice(0, 1)
    if (oldest !== undefined) await kill(oldest)
    children.push(await start())
  }
  const [, , , youngest] = children
  if (youngest !== undefined) await once(youngest, 'message')
  await Promise.all(children.map(kill))

  const stored = await new JoseTokenSigner({ keyFile }).publicKeys(new Date())
  expect(kids.length).toBeGreaterThan(PROCESSES + KILLS)
  expect(stored.map(({ kid }) => kid)).toEqual(expect.arrayContaining(kids))
  expect(longestGapMs).toBeLessThan(5_000)
  await folder.remove()
})

it('runs the work of one caller at a time, and refuses a caller after its wait', async () => {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'lock')
  let [running, most] = [0, 0]
  const work = async (): Promise<void> => {
    running += 1
    most = Math.max(most, running)
    await setTimeout(5)
    running -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, 20_000, work)))
  expect(most).toBe(1)

  const refused = withFileLock(path, 10_000, () => withFileLock(path, 50, work))
  await expect(refused).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  await expect(withFileLock(join(folder.path, 'missing', 'lock'), 50, work)).rejects.toMatchObject({
    code: 'SQLITE_CANTOPEN',
  })
  await folder.remove()
})
