import { messageOf, NativePartError } from '../../src/ports/index.js'
import { codeOf } from './system.js'

/** A package with a native part, which its package manager builds, downloads or leaves out. */
type NativePackage = 'sqlite3' | '@lancedb/lancedb' | 'onnxruntime-node' | '@node-rs/argon2'

/** Platforms for which LanceDB publishes a native part, with glibc or musl on Linux. */
const LANCEDB_PLATFORMS = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']

/**
 * Loads a package with a native part. Adapters load such packages at their first use, so an import of the engine never
 * fails for a part that was not built.
 *
 * @throws NativePartError that names the package, and the commands that build or install the part
 */
export async function loadNative<Library>(name: NativePackage, load: () => Promise<Library>): Promise<Library> {
  try {
    return await load()
  } catch (error) {
    throw nativePartError(name, error)
  }
}

/** The error for a package whose native part cannot be loaded. */
export function nativePartError(name: NativePackage, cause: unknown): NativePartError {
  const problem = isMissing(cause) ? 'is missing' : `cannot be loaded on ${systemName()} (${firstLine(cause)})`
  return new NativePartError(`the native part of the package ${name} ${problem}: ${adviceFor(name, cause)}`, { cause })
}

function adviceFor(name: NativePackage, cause: unknown): string {
  if (/did not self-register/i.test(messageOf(cause))) {
    return 'a thread of this process that had loaded it has ended: restart the process, and load it in threads that stay'
  }
  if (name === 'onnxruntime-node') {
    return isMusl()
      ? 'it needs glibc, so use an image of Debian such as node:22-bookworm-slim, or an embedding model on a server (remoteModels, --embedding-url)'
      : `install the packages again on this system, and ship the whole folder of the package: ${INSTALL_AGAIN}; an embedding model on a server (remoteModels, --embedding-url) does not need it`
  }
  if (name !== 'sqlite3') {
    return name === '@node-rs/argon2' || LANCEDB_PLATFORMS.includes(`${process.platform}-${process.arch}`)
      ? `it is an optional dependency, so install with optional dependencies on this system: ${INSTALL_AGAIN}`
      : 'there is none for this system: use PostgreSQL with pgvector (databaseUrl, --database-url), or another system'
  }
  return (
    `let its install script run: with npm "npm rebuild ${name} --ignore-scripts=false", from npm 12 on after ` +
    `"npm approve-scripts ${name}", or for a global installation "npm rebuild --global ${name} --ignore-scripts=false ` +
    `--allow-scripts=${name}"; with pnpm "allowBuilds: { ${name}: true }" in pnpm-workspace.yaml ` +
    `(early pnpm 10: onlyBuiltDependencies) and "pnpm rebuild ${name}"; with Yarn "dependenciesMeta": { "${name}": { "built": true } } in ` +
    'package.json and "yarn install"'
  )
}

const INSTALL_AGAIN =
  'remove node_modules, then run "npm install --include=optional", "pnpm install" or "yarn install"; a lock file from ' +
  'another system may have to go too'

/** True if no file with the native part was found. Otherwise the system refuses the file. */
function isMissing(error: unknown): boolean {
  if (codeOf(error) === 'ERR_DLOPEN_FAILED' || hasRefusal(error)) return false
  return (
    codeOf(error) === 'MODULE_NOT_FOUND' ||
    codeOf(error) === 'ERR_MODULE_NOT_FOUND' ||
    /locate the bindings file|no native build was found|cannot find (native binding|module)/i.test(messageOf(error))
  )
}

/** LanceDB's loader has the reasons of all files that it tried as causes of each other. */
function hasRefusal(error: unknown): boolean {
  for (let cause = causeOf(error); cause !== undefined; cause = causeOf(cause)) {
    if (codeOf(cause) === 'ERR_DLOPEN_FAILED') return true
  }
  return false
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0]?.replace(/:$/, '') ?? ''
}

function systemName(): string {
  return `${process.platform} ${process.arch}${isMusl() ? ' with musl' : ''}`
}

/** True on a Linux without glibc, such as Alpine. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const { header } = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined
}
