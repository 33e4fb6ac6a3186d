/** Builds `dist`: the code by the TypeScript compiler, the character maps that PDFs in Asian scripts need, and the page of the API. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
const swagger = dirname(require.resolve('swagger-ui-dist/package.json'))
const pdfjs = dirname(require.resolve('pdfjs-dist/package.json'))

rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
cpSync(join(pdfjs, 'cmaps'), join(root, 'dist/adapters/text-extraction/cmaps'), { recursive: true })
const assets = join(root, 'dist/adapters/http-server/assets')
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE']) {
  cpSync(join(swagger, name), join(assets, name.includes('.') ? name : `swagger-ui.${name}`))
}
chmodSync(join(root, 'dist/adapters/cli/bin.js'), 0o755)
