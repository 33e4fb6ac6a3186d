/**
 * Packs the project, installs the tarball in an empty folder as a user would, and runs the README's program there. With
 * `--linked` it unpacks the tarball beside links to the dependencies that the tarball names. That is two minutes quicker,
 * and tests no installation by npm.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The other versions of Node that the package supports. */
const OTHER_NODES = ['22', '24', '26']

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

  const unpack = (target) => {
    mkdirSync(target, { recursive: true })
    run('tar', '-xzf', filename, '-C', target, '--strip-components=1')
  }

  // Receivers of webhooks need the package alone: it is unpacked where there is no other.
  const bare = join(folder, 'bare')
  unpack(join(bare, 'node_modules/alcove'))
  const receiver = [
    "import { signBody, verifyWebhook } from 'alcove/webhooks'",
    "const event = { id: 'evt_1', version: 'v1', type: 'run.started', event_category: 'run' }",
    "const body = JSON.stringify({ ...event, timestamp: '2026-01-02T03:04:05.678Z', data: { jobKey: '' } })",
    "const headers = { 'x-service-signature': await signBody(new TextEncoder().encode(body), 'secret') }",
    "console.log((await verifyWebhook(body, headers, 'secret')).type)",
  ]
  writeFileSync(join(bare, 'receiver.mjs'), receiver.join('\n'))
  const received = run(process.execPath, join(bare, 'receiver.mjs'))
  if (received !== 'run.started\n') throw new Error(`the receiver printed ${received}`)
  console.log('alcove/webhooks: verifies, without any other package')

  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = (language) =>
    [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code)
  const program = blocks('js')[0]
  /** A comment of the README's first program shows its output. */
  const answer = `${/\/\/ (.*)/.exec(program)[1]}\n`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host', private: true, type: 'module' }))
  const modules = join(folder, 'node_modules')
  if (process.argv.includes('--linked')) {
    unpack(join(modules, 'alcove'))
    const { dependencies, optionalDependencies, bin } = JSON.parse(
      readFileSync(join(modules, 'alcove/package.json'), 'utf8'),
    )
    const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), 'typescript', '@types/node']
    for (const name of names.filter((one) => existsSync(join(root, 'node_modules', one)))) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir')
    }
    mkdirSync(join(modules, '.bin'))
    symlinkSync(join('../alcove', bin.alcove), join(modules, '.bin/alcove'))
    symlinkSync('../typescript/bin/tsc', join(modules, '.bin/tsc'))
  } else {
    run('npm', 'install', '--no-audit', '--no-fund', `./${filename}`, 'typescript@6', '@types/node@20')
  }

  writeFileSync(join(folder, 'program.js'), program)
  writeFileSync(join(folder, 'program-in-typescript.ts'), program)
  // The README's server, which then asks itself how it is.
  const server = blocks('js')[1].replace('server.listen(8787)', 'server.listen(0, ask)')
  const asking = [
    'async function ask(): Promise<void> {',
    '  const { port } = server.address() as { port: number }',
    '  const answer = await fetch(`http://127.0.0.1:${port}/alcove/health`)',
    '  console.log(answer.status, await answer.text())',
    '  server.close()',
    '  await engine.close()',
    '}',
  ]
  writeFileSync(join(folder, 'server.ts'), [server, ...asking].join('\n'))
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: ['node'], outDir: 'built' }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program-in-typescript.ts', 'server.ts'] }),
  )
  run('npx', 'tsc')

  for (const file of ['program.js', 'built/program-in-typescript.js']) {
    const output = run(process.execPath, file)
    if (output !== answer || !output.includes('eighteen weeks')) throw new Error(`${file} printed ${output}`)
    rmSync(join(folder, 'alcove-data'), { recursive: true })
    console.log(`${file}: finds the passage`)
  }
  const health = run(process.execPath, 'built/server.js')
  if (!health.startsWith('200 {"status":"ok"')) throw new Error(`the server printed ${health}`)
  console.log('built/server.js: serves')
  for (const [version, node] of [[process.version, process.execPath], ...otherNodes()]) {
    const demo = run(node, 'node_modules/.bin/alcove', 'demo')
    if (!demo.includes('eighteen weeks')) throw new Error(`the demo printed ${demo}`)
    console.log(`alcove demo, Node ${version}: finds the passages`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Installs the other versions from the npm registry. @returns their versions and programs; none without the registry */
function otherNodes() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  return OTHER_NODES.flatMap((version) => {
    const place = join(folder, `node-${version}`)
    mkdirSync(place)
    writeFileSync(join(place, 'package.json'), '{}')
    try {
      run('npm', 'install', '--no-audit', '--no-fund', '--prefix', place, `${name}@${version}`)
    } catch {
      console.log(`Node ${version}: left out, because npm cannot install ${name}@${version}`)
      return []
    }
    const program = join(place, 'node_modules', name, platform === 'win' ? 'bin/node.exe' : 'bin/node')
    return [[version, program]]
  })
}
