import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildProgram } from '../../../adapters/cli/program.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const BINARY = join(import.meta.dirname, '../../../dist/adapters/cli/bin.js')

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

describe('the output for people', () => {
  it("contains no control character of another user's text", async () => {
    const evil = '\u001b]0;owned\u0007\u009b31m'
    const shown = '\uFFFD]0;owned\uFFFD\uFFFD31m'
    await alcove('init')
    const outputs = [await alcove('context', 'create', `C${evil}`)]
    await writeFile(join(folder.path, `a${evil}.txt`), `first line${evil}\r\nsecond\tline`)
    outputs.push(await alcove('ingest', '--context', '1', `a${evil}.txt`))
    outputs.push(await alcove('search', '--context', '1', 'line'))
    for (const args of [
      ['context', 'list'],
      ['context', 'show', '1'],
      ['documents', '--context', '1'],
    ])
      outputs.push(await alcove(...args))
    outputs.push(await alcove('context', 'show', evil), await alcove(evil))
    for (const { stdout, stderr } of outputs) {
      expect(stdout + stderr).toContain(shown)
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]/u)
    }
    expect(outputs[2]?.stdout).toContain(`first line${shown}\n   second\tline\n`)
    const [hit] = JSON.parse((await alcove('search', '--context', '1', 'line', '--json')).stdout) as {
      content: string
    }[]
    expect(hit?.content).toBe(`first line${evil}\r\nsecond\tline`)
  })

  it.skipIf(!existsSync('/dev/full'))('is one line and exit code 1 when it cannot be written', async () => {
    await alcove('init')
    const full = await open('/dev/full', 'w')
    for (const args of [['context', 'list'], ['company', 'list', '--json'], ['help']]) {
      const child = spawn(process.execPath, [BINARY, ...args], { cwd: folder.path, stdio: ['ignore', full.fd, 'pipe'] })
      let stderr = ''
      child.stderr?.on('data', (data: Buffer) => {
        stderr += data.toString()
      })
      const [exitCode] = (await once(child, 'close')) as [number]
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(/^alcove: the output cannot be written: ENOSPC[^\n]*\n$/)
    }
    await full.close()
  })
})

describe('alcove help', () => {
  it('describes a command within a group, and the options that every command has', async () => {
    const { exitCode, stdout } = await alcove('help', 'context', 'create')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Usage: alcove context create /)
    expect(stdout).toContain('--data-dir <dir>')
    expect(stdout).toContain('--json')
    expect((await alcove('search', '--help')).stdout).toContain('--data-dir <dir>')
  })
})

describe('environment variables', () => {
  it('have one meaning each', () => {
    const meanings = new Map<string, Set<string>>()
    const visit = (command: CommandUnknownOpts): void => {
      for (const { envVar = '', flags } of command.options)
        if (envVar !== '') meanings.set(envVar, (meanings.get(envVar) ?? new Set()).add(flags))
      command.commands.forEach(visit)
    }
    visit(buildProgram())
    expect(meanings.size).toBeGreaterThan(30)
    for (const [variable, flags] of meanings) expect([variable, ...flags]).toHaveLength(2)
    for (const variable of ['ALCOVE_INIT_COMPANY', 'ALCOVE_COMPANY', 'ALCOVE_CONTEXT_NAME', 'ALCOVE_CHUNK_SIZE'])
      expect([...meanings.keys()]).toContain(variable)
  })

  it('count as unset when they are empty; an empty --data-dir is refused', async () => {
    const env = { ALCOVE_DATA_DIR: '', ALCOVE_INIT_COMPANY: 'Harbour', ALCOVE_COMPANY: '7', ALCOVE_TOP_N: '' }
    const cwd = folder.path
    expect((await runAlcoveHere(['init'], { cwd, env })).stdout).toContain('Initialised ./alcove-data.')
    expect(JSON.parse((await runAlcoveHere(['company', 'list', '--json'], { cwd, env })).stdout)).toMatchObject([
      { id: 1, name: 'Harbour' },
    ])
    expect(await runAlcoveHere(['context', 'create', 'C'], { cwd, env })).toMatchObject({ exitCode: 0 })
    const refused = await runAlcoveHere(['context', 'list', '--data-dir', ''], { cwd })
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toMatch(/^alcove: option '--data-dir <dir>' argument '' is invalid[^\n]*\n$/)
  })
})
