import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import { installWithout } from './host-without-natives.js'

const run = promisify(execFile)
const REBUILD =
  /npm "npm rebuild (\w+) --ignore-scripts=false".*"npm rebuild --global \1 .*--allow-scripts=\1".*pnpm "allowBuilds: \{ \1: true \}".*"pnpm rebuild \1".*Yarn "dependenciesMeta"/

interface Failure {
  readonly isOurs: boolean
  readonly code: string
  readonly message: string
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

/** Runs the program of a host in which the native parts of some packages are missing. @returns what failed in it */
async function failuresWithout(missing: readonly string[]): Promise<Readonly<Record<string, Failure>>> {
  await installWithout(missing, folder.path)
  await cp(join(import.meta.dirname, 'natives-child.mjs'), join(folder.path, 'program.mjs'))
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder.path })
  return JSON.parse(stdout) as Record<string, Failure>
}

async function alcove(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = join(folder.path, 'node_modules/alcove/dist/adapters/cli/bin.js')
  return await run(process.execPath, [program, ...args], { cwd: folder.path }).catch((error: unknown) => {
    return error as { stdout: string; stderr: string }
  })
}

describe('without native parts', () => {
  it('imports and help work, and opening an engine fails with the commands that build SQLite', async () => {
    const failures = await failuresWithout(['sqlite3', '@lancedb/lancedb', 'onnxruntime-node', '@node-rs/argon2'])

    expect(Object.keys(failures)).toEqual(['openSqlite', 'engine'])
    for (const { isOurs, code, message } of Object.values(failures)) {
      expect({ isOurs, code }).toEqual({ isOurs: true, code: 'ERR_NATIVE_PART' })
      expect(message).toMatch(/^the native part of the package sqlite3 is missing: let its install script run/)
      expect(REBUILD.exec(message)?.[1]).toBe('sqlite3')
    }
    expect((await alcove('--help')).stdout).toContain('Usage: alcove')
    const { stderr } = await alcove('init')
    expect(stderr).toMatch(/^alcove: the native part of the package sqlite3 is missing: .* \(ERR_NATIVE_PART\)\n$/)
  })

  it('each other part fails where it is used, and the rest works', async () => {
    const failures = await failuresWithout(['@lancedb/lancedb', 'onnxruntime-node', '@node-rs/argon2'])

    expect(Object.keys(failures)).toEqual(['document', 'meaning', 'password'])
    const { document, meaning, password } = failures
    for (const failure of [document, meaning, password]) {
      expect(failure).toMatchObject({ isOurs: true, code: 'ERR_NATIVE_PART' })
    }
    expect(document?.message).toMatch(
      /part of the package @lancedb\/lancedb is missing: .*"npm install --include=optional"/,
    )
    expect(meaning?.message).toMatch(/part of the package onnxruntime-node is missing: .* --embedding-url/)
    expect(password?.message).toMatch(
      /part of the package @node-rs\/argon2 is missing: .*"npm install --include=optional"/,
    )
  })
})
