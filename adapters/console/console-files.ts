import { readFile } from 'node:fs/promises'
import { HttpError } from '../node-kit/index.js'
import type { ConsoleEntry } from './console-page.js'

/** The built page. The build puts it there. */
const FOLDER = new URL('app/', import.meta.url)
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }
/** The name of a file changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable'

interface ManifestEntry {
  readonly file: string
  readonly isEntry?: boolean
  readonly css?: readonly string[]
  /** Keys of the modules that it imports. */
  readonly imports?: readonly string[]
}

/** Each file has a compressed twin, which the build makes. */
interface File {
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

/** The files of the page. They are read once, when a browser asks for them. */
export class ConsoleFiles {
  readonly #files = new Map<string, Promise<File>>()
  #manifest: Promise<Readonly<Record<string, ManifestEntry>>> | undefined

  /** @throws Error if the package was not built */
  async entry(): Promise<ConsoleEntry> {
    const manifest = await this.#readManifest()
    const main = Object.values(manifest).find(({ isEntry }) => isEntry === true)
    if (main === undefined) throw new Error('the console has no entry: build the package again')
    const imports = (main.imports ?? []).flatMap((key) => manifest[key]?.file ?? [])
    return { script: main.file, imports, styles: main.css ?? [] }
  }

  /** @param name such as `assets/main-1a2b.js` @throws HttpError 404 */
  async answer(name: string, request: Request): Promise<Response> {
    const names = Object.values(await this.#readManifest()).flatMap(({ file, css = [] }) => [file, ...css])
    // Only names of the manifest: no other file of the disk can be read.
    if (!names.includes(name))
      throw new HttpError(404, 'ERR_PATH_NOT_FOUND', 'the console has no such file: reload the page')
    const { plain, gzip } = await this.#read(name)
    const isGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
    return new Response(isGzip ? gzip : plain, {
      headers: {
        'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
        'cache-control': FOREVER,
        vary: 'accept-encoding',
        ...(isGzip && { 'content-encoding': 'gzip' }),
      },
    })
  }

  async #readManifest(): Promise<Readonly<Record<string, ManifestEntry>>> {
    this.#manifest ??= readFile(new URL('manifest.json', FOLDER), 'utf8').then(
      (text) => JSON.parse(text) as Readonly<Record<string, ManifestEntry>>,
    )
    try {
      return await this.#manifest
    } catch (error) {
      this.#manifest = undefined
      throw error
    }
  }

  async #read(name: string): Promise<File> {
    let file = this.#files.get(name)
    if (file === undefined) {
      file = readPair(name)
      this.#files.set(name, file)
      file.catch(() => this.#files.delete(name))
    }
    return await file
  }
}

async function readPair(name: string): Promise<File> {
  const [plain, gzip] = await Promise.all([readFile(new URL(name, FOLDER)), readFile(new URL(`${name}.gz`, FOLDER))])
  return { plain: new Uint8Array(plain), gzip: new Uint8Array(gzip) }
}
