import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blocks, type HostFolder, hostFolder, pageOf, ROOT, run } from './host-folder.js'

/** A host that ingests, searches and serves, and says what it found. */
const HOST = [
  "import { createHttpHandler } from 'alcove/http'",
  "import { openLocalEngine } from 'alcove/local'",
  "const engine = await openLocalEngine({ dataDir: './alcove-data' })",
  'const session = engine.as(engine.owner)',
  "const { id } = await session.contexts.create({ name: 'Notes', description: '', caption: '', toolsJson: '[]' })",
  "const uuid = await session.documents.upload(id, { fileName: 'leave.txt', content: 'Leave takes eighteen weeks.' })",
  'await session.documents.whenProcessed(uuid)',
  "const [best] = await session.search(id, 'How long is leave?')",
  "const answer = await createHttpHandler(engine)(new Request('http://host/health'))",
  'console.log(best.content, answer.status)',
  'await engine.close()',
].join('\n')

let folder: HostFolder

beforeEach(async () => {
  folder = await hostFolder()
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder.path, 'host.js'), HOST)
})

afterEach(async () => {
  await folder.remove()
})

async function blockOf(page: string, language: string): Promise<string> {
  return blocks(language, await pageOf(`how-to/${page}.md`))[0] ?? expect.fail(`${page}.md has no block`)
}

/** Runs a command with the programs that the project has installed. */
async function shell(command: string): Promise<void> {
  const env = { ...folder.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${folder.env['PATH'] ?? ''}` }
  await run('sh', ['-e', '-c', command], { cwd: folder.path, env })
}

async function outputOf(program: string): Promise<string> {
  return (await run(process.execPath, [program], { cwd: folder.path })).stdout
}

describe('a host that is built as its page says, and runs', () => {
  it('with esbuild', async () => {
    await shell((await blockOf('esbuild', 'sh')).replace('npx ', ''))
    expect(await outputOf('build/host.mjs')).toBe('Leave takes eighteen weeks. 200\n')
  })

  it('with Vite', async () => {
    await writeFile(join(folder.path, 'vite.config.js'), await blockOf('vite', 'js'))
    await shell('vite build --logLevel error')
    expect(await outputOf('build/host.js')).toBe('Leave takes eighteen weeks. 200\n')
  })

  it('with webpack', async () => {
    await writeFile(join(folder.path, 'webpack.config.js'), await blockOf('webpack', 'js'))
    const modules = join(folder.path, 'node_modules')
    await mkdir(modules, { recursive: true })
    await symlink(join(ROOT, 'node_modules/webpack'), join(modules, 'webpack'), 'dir')
    const build = [
      "import webpack from 'webpack'",
      "import config from './webpack.config.js'",
      'webpack(config, (error, stats) => {',
      "  if (error ?? stats.hasErrors()) throw error ?? new Error(stats.toString('errors-only'))",
      '})',
    ]
    await writeFile(join(folder.path, 'build.js'), build.join('\n'))
    await outputOf('build.js')
    expect(await outputOf('dist/host.mjs')).toBe('Leave takes eighteen weeks. 200\n')
  })
})
