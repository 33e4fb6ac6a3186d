/** Packs the project, installs the tarball in an empty folder as a user would, and runs the README's program there. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'alcove-package-'))
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }).toString()

try {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString(),
  )
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const block = (language) => readme.match(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms'))[1]
  const { overrides } = JSON.parse(block('json'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'host', private: true, type: 'module', overrides }),
  )
  run('npm', 'install', '--no-audit', '--no-fund', `./${filename}`, 'typescript@6', '@types/node@20')

  cpSync(join(root, 'examples/documents/leave-policy.pdf'), join(folder, 'handbook.pdf'))
  writeFileSync(join(folder, 'program.js'), block('js'))
  writeFileSync(join(folder, 'program-in-typescript.ts'), block('js'))
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: ['node'], outDir: 'built' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program-in-typescript.ts'] }))
  run('npx', 'tsc')

  for (const program of ['program.js', 'built/program-in-typescript.js']) {
    const output = run(process.execPath, program)
    if (!/^1 0\.\d{3} /.test(output) || !output.includes('eighteen weeks'))
      throw new Error(`${program} printed ${output}`)
    rmSync(join(folder, 'alcove-data'), { recursive: true })
    console.log(`${program}: finds the passage`)
  }
  const demo = run('npx', 'alcove', 'demo')
  if (!demo.includes('eighteen weeks')) throw new Error(`the demo printed ${demo}`)
  console.log('alcove demo: finds the passages')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
