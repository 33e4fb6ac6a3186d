import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { IS_FULL_FORM } from '../full-form.js'
import { hostFolder, pageOf, ROOT, run } from './host-folder.js'

it('the least version of TypeScript that the page names compiles a host', async () => {
  const [, least = ''] = /TypeScript (\d+\.\d+) or later/.exec(await pageOf('how-to/host.md')) ?? []
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  expect(manifest.devDependencies['typescript-least']).toBe(`npm:typescript@~${least}.5`)
  const folder = await hostFolder()
  const host = [
    "import { AlcoveError, createEngine, type Session } from 'alcove'",
    "import { createHttpHandler } from 'alcove/http'",
    "import { nodeListener } from 'alcove/http/node'",
    "import { openLocalEngine, syncFolder } from 'alcove/local'",
    "import type { Storage } from 'alcove/ports'",
    "import { createMemoryEngine } from 'alcove/testing'",
    "import { verifyWebhook } from 'alcove/webhooks'",
    "const engine = await openLocalEngine({ dataDir: './data' })",
    'const session: Session = engine.as(engine.owner)',
    "const [best] = await session.search(1, 'How long is leave?', { topN: 3 })",
    '// The types are those of the package, and not `any`.',
    'const name: string | undefined = best?.source.displayName',
    '// @ts-expect-error',
    'const wrong: number | undefined = best?.source.displayName',
    'export const used = [AlcoveError, createEngine, createHttpHandler, nodeListener, syncFolder, createMemoryEngine]',
    'export const others = [verifyWebhook, name, wrong] as const',
    'export type Kept = Storage',
  ]
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'host.ts'), host.join('\n'))
  const compiler = join(ROOT, 'node_modules/typescript-least/lib/tsc.js')
  const options = '--noEmit --strict --module nodenext --target es2022 --types node'.split(' ')
  // In full form it also checks the types of the package and of its dependencies themselves, which takes long.
  const skipped = IS_FULL_FORM ? [] : ['--skipLibCheck']
  const args = [compiler, ...options, ...skipped, 'host.ts']
  const { stdout } = await run(process.execPath, args, { cwd: folder.path })
  expect(stdout).toBe('')
  await folder.remove()
})
