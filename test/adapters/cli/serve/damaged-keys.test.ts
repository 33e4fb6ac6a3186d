import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcove } from '../run-alcove.js'
import { runAlcoveHere } from '../run-alcove-here.js'

it.each(['signing-keys.json', 'secret-key'])(
  'alcove serve ends with one sentence about a damaged %s, and serves nothing',
  async (name) => {
    const folder = await temporaryFolder()
    try {
      expect((await runAlcoveHere(['init'], { cwd: folder.path })).exitCode).toBe(0)
      const path = join(folder.path, 'alcove-data/keys', name)
      const flipped = await readFile(path)
      const place = name === 'secret-key' ? 5 : flipped.indexOf('"d"') + 10
      // A byte with its highest bit is no base64.
      flipped[place] = (flipped[place] ?? 0) ^ 0x80
      await writeFile(path, flipped)
      const { exitCode, stdout, stderr } = await runAlcove(['serve', '--port', '0'], { cwd: folder.path })
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^[^\n]+\n$/)
      expect(stderr).toContain(path)
      expect(stderr).toMatch(/backup/)
    } finally {
      await folder.remove()
    }
  },
)
