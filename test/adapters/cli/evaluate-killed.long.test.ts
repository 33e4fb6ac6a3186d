import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { sized } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const EVALUATE = ['evaluate', '--context', 'C', '--questions', 'questions.csv', '--chunk-size', '60'] as const

it.each(['SIGINT', 'SIGKILL'] as const)(
  'alcove evaluate leaves nothing behind after %s',
  async (signal) => {
    const folder = await temporaryFolder()
    onTestFinished(folder.remove)
    const alcove = async (...args: readonly string[]): Promise<Outcome> =>
      await runAlcoveHere(args, { cwd: folder.path })
    const leftFolders = async (): Promise<string[]> =>
      (await readdir(join(folder.path, 'alcove-data'))).filter((name) => name.startsWith('alcove.evaluation-'))
    await writeFile(join(folder.path, 'questions.csv'), 'question;document\nWhen is leave requested?;leave.md\n')
    await writeFile(join(folder.path, 'leave.md'), 'Leave is requested in writing.')
    await alcove('init')
    await alcove('context', 'create', 'C', '--chunk-size', '300')
    await alcove('ingest', '--context', 'C', 'leave.md')
    const items = sized(1_000, 4_000)
    const big = Array.from({ length: items }, (_, number) => `Item ${number} is a lamp from room ${number * 7}. `)
    await writeFile(join(folder.path, 'inventory.txt'), big.join(''))
    await alcove('ingest', '--context', 'C', 'inventory.txt')
    const { child, outcome, stderr } = startAlcove(EVALUATE, { cwd: folder.path })
    while (!stderr().includes('copying documents')) {
      expect(child.exitCode, stderr()).toBe(null)
      await setTimeout(10)
    }
    expect(await leftFolders()).toHaveLength(1)
    child.kill(signal)
    const ended = await outcome
    expect(ended).toMatchObject({ exitCode: signal === 'SIGINT' ? 130 : null, stdout: '' })
    if (signal === 'SIGKILL') {
      expect(await leftFolders()).toHaveLength(1)
      await alcove('ingest', '--context', 'C', 'leave.md')
    }
    expect(await leftFolders()).toEqual([])
    expect(JSON.parse((await alcove('context', 'list', '--json')).stdout)).toHaveLength(1)
    expect(JSON.parse((await alcove('documents', '--context', 'C', '--json')).stdout)).toHaveLength(2)
  },
  120_000,
)
