import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blocks, EXAMPLES, type HostFolder, hostFolder, pageOf, ROOT, run, TSX } from './host-folder.js'

const readme = await readFile(join(ROOT, 'README.md'), 'utf8')

/** Output without scores and durations, which differ between machines. */
function comparable(output: string): string {
  return output.trim().replaceAll(/\d+\.\d+|\b\d+ ms\b/g, 'N')
}

let folder: HostFolder

beforeEach(async () => {
  folder = await hostFolder()
})

afterEach(async () => {
  await folder.remove()
})

describe('the README', () => {
  it('begins with a session of the command line that runs as it is shown', async () => {
    await rm(join(folder.path, 'handbook.pdf'))
    const shown = (blocks('text', readme)[0] ?? '').split(/^\$ /m).slice(1)
    expect(shown.length).toBeGreaterThanOrEqual(3)
    for (const part of shown) {
      const [command = '', ...lines] = part.split('\n')
      const program = command.replace(/^npx /, '')
      const { stdout } = await run('sh', ['-e', '-c', program], { cwd: folder.path, env: folder.env })
      expect(comparable(stdout)).toBe(comparable(lines.join('\n')))
    }
  })

  it('contains eight lines of code whose output is the answer, unchanged, and a second time', async () => {
    const [program = ''] = blocks('js', readme)
    const [, answer] = /\/\/ (.*)/.exec(program) ?? []
    expect(program.split('\n').filter((line) => line !== '')).toHaveLength(8)
    // A new user has the package and no file of ours.
    await rm(join(folder.path, 'handbook.pdf'))
    await writeFile(join(folder.path, 'program.mjs'), program)
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder.path })
    expect(stdout).toContain('eighteen weeks')
    expect(stdout).toBe(`${answer}\n`)
    const secondRun = await run(process.execPath, ['program.mjs'], { cwd: folder.path })
    expect(secondRun.stdout).toBe(stdout)
  })

  it('has 200 to 250 lines', () => {
    const { length } = readme.trim().split('\n')
    expect(length).toBeGreaterThanOrEqual(200)
    expect(length).toBeLessThanOrEqual(250)
  })

  it('contains a host server that runs unchanged', async () => {
    const server = (blocks('js', readme)[1] ?? '').replace('server.listen(8787)', 'server.listen(0)')
    const check = [
      "await new Promise((resolve) => server.once('listening', resolve))",
      'const answer = await fetch(`http://127.0.0.1:${server.address().port}/alcove/health`)',
      'console.log(answer.status, (await answer.json()).status)',
      'server.close()',
      'await engine.close()',
    ]
    await writeFile(join(folder.path, 'server.mjs'), [server, ...check].join('\n'))
    const { stdout } = await run(process.execPath, ['server.mjs'], { cwd: folder.path })
    expect(stdout).toBe('200 ok\n')
  })

  it('contains commands that run one after the other unchanged, in the folder of the program too', async () => {
    const [program = ''] = blocks('js', readme)
    await writeFile(join(folder.path, 'program.mjs'), program)
    await run(process.execPath, ['program.mjs'], { cwd: folder.path })
    await mkdir(join(folder.path, 'notes'))
    await cp(join(EXAMPLES, 'first-day.txt'), join(folder.path, 'notes/first-day.txt'))
    const questions = 'question,document\nHow long is parental leave?,handbook.pdf\n'
    await writeFile(join(folder.path, 'questions.csv'), questions)
    const commands = blocks('sh', readme).find((block) => block.startsWith('alcove init')) ?? ''
    expect(commands.trim().split('\n').length).toBeGreaterThan(4)
    const { stdout } = await run('sh', ['-e', '-c', commands], { cwd: folder.path, env: folder.env })
    expect(stdout).toContain('handbook.pdf: 1 chunk from')
    expect(stdout).toMatch(/1\. 0\.\d{3} {2}handbook\.pdf/)
    expect(stdout).toContain('Deleted context 2, Notes.')
  })

  it('needs one install script, and says so for each package manager', async () => {
    const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<
        Record<string, { readonly dev?: true; readonly peer?: true; readonly hasInstallScript?: true }>
      >
    }
    const scripts = Object.entries(packages).filter(
      ([, { dev, peer, hasInstallScript }]) => hasInstallScript && !dev && !peer,
    )
    expect(scripts.map(([path]) => path)).toEqual(['node_modules/sqlite3'])
    const install = await pageOf('how-to/install.md')
    for (const text of [blocks('sh', readme)[0] ?? '', install]) {
      expect(text).toContain('npm approve-scripts sqlite3')
      expect(text).toContain('pnpm add alcove --allow-build=sqlite3')
    }
    expect(JSON.parse(blocks('json', install)[0] ?? '')).toEqual({ dependenciesMeta: { sqlite3: { built: true } } })
  })

  it('names only files and scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [, script = ''] of readme.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([script])
    for (const [, file = ''] of readme.matchAll(/\]\((\w[^)#]*)\)/g)) await readFile(join(ROOT, file))
  })
})

describe('the example', () => {
  const example = async (name: string, ...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, DATA_DIR: join(folder.path, 'data') }
    return (await run(process.execPath, [TSX, join(ROOT, 'examples', name), ...args], { cwd: folder.path, env })).stdout
  }

  it('ask-a-folder answers from a folder, the second time from its stored knowledge', async () => {
    for (let time = 0; time < 2; time += 1) {
      const stdout = await example(
        'ask-a-folder.ts',
        EXAMPLES,
        'Which supplier delivers oat milk?',
        'What is error E4?',
      )
      expect(stdout).toMatch(/oat milk\?\nsuppliers\.csv: [^?]*Havre Foods/)
      expect(stdout).toMatch(/E4\?\nespresso-machine\.docx: /)
    }
  })

  it('two-companies keeps each company to its own', async () => {
    expect(await example('two-companies.ts')).toBe(
      [
        'the bakery finds: Sourdough rests for eighteen hours before it is baked.',
        'the harbour sees: Ships',
        "the harbour asks the bakery's assistant: ERR_CONTEXT_NOT_FOUND",
        '',
      ].join('\n'),
    )
  })
})

describe('ARCHITECTURE.md', () => {
  it('names every folder of the tests, and no missing one', async () => {
    const architecture = await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    const tree = /^test\/\n(.*?)^\w/ms.exec(architecture)?.[1] ?? ''
    const named = [...tree.matchAll(/(?<=^ {2}| )([a-z]+)\//gm)].map(([, name]) => name)
    const entries = await readdir(join(ROOT, 'test'), { withFileTypes: true })
    expect(named.sort()).toEqual(
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    )
  })
})
