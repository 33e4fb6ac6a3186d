/** Builds `dist`: the code by the TypeScript compiler, and the character maps that PDFs in Asian scripts need. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
const pdfjs = dirname(require.resolve('pdfjs-dist/package.json'))

rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
cpSync(join(pdfjs, 'cmaps'), join(root, 'dist/adapters/text-extraction/cmaps'), { recursive: true })
chmodSync(join(root, 'dist/adapters/cli/bin.js'), 0o755)
