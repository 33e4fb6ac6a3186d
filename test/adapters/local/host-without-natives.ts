import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** The packages with native parts, and the files in them without the parts. LanceDB has packages of its parts alone. */
const NATIVES: Readonly<Record<string, readonly string[]>> = {
  sqlite3: ['package.json', 'lib'],
  'onnxruntime-node': ['package.json', 'dist'],
  '@node-rs/argon2': ['package.json', 'index.js', 'index.d.ts'],
}
/** Packages that those packages load. */
const THEIR_PACKAGES = ['bindings', 'file-uri-to-path', 'onnxruntime-common']

/** Installs the package in a folder, as a package manager does that runs no install scripts of some packages. */
export async function installWithout(missing: readonly string[], folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const source = join(ROOT, 'node_modules')
  const alcove = join(modules, 'alcove')
  await mkdir(alcove, { recursive: true })
  for (const name of ['package.json', 'dist']) await cp(join(ROOT, name), join(alcove, name), { recursive: true })
  await symlink(join(ROOT, 'models'), join(alcove, 'models'), 'dir')
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const optional = missing.includes('@lancedb/lancedb') ? [] : Object.keys(optionalDependencies)
  for (const name of [...Object.keys(dependencies), ...optional, ...THEIR_PACKAGES]) {
    if (!existsSync(join(source, name))) continue
    const path = join(modules, name)
    await mkdir(dirname(path), { recursive: true })
    if (!missing.includes(name)) {
      await symlink(join(source, name), path, 'dir')
      continue
    }
    for (const file of NATIVES[name] ?? []) await cp(join(source, name, file), join(path, file), { recursive: true })
  }
}
