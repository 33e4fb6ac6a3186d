import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SecretKeyError } from '../../src/index.js'
import { codeOf } from './system-code.js'

const KEY_BYTES = 32
/** A file that was not there before, for this user alone, on the disk once it is written. */
const OWN_AND_LASTING = { flag: 'wx', mode: 0o600, flush: true }

/** The file systems that have no hard links say so in different ways. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'])

/**
 * Opens something with the key that secrets are encrypted with, from a file with 32 bytes as base64
 * (`openssl rand -base64 32` makes one); made with mode 0600 where there is none. A key that was made and is
 * refused, because the database has another, does not stay where that other one has to be put back.
 *
 * @throws SecretKeyError where the file cannot be read or made, or does not hold the key of the database
 */
export async function withSecretKey<T>(path: string, open: (secretKey: Uint8Array) => Promise<T>): Promise<T> {
  const found = await readIfThere(path)
  if (found !== undefined) return await open(parse(path, found))
  const { text, isOwn } = await make(path)
  try {
    return await open(parse(path, text))
  } catch (error) {
    if (!isOwn || !(error instanceof SecretKeyError)) throw error
    await removeIfSame(path, text)
    throw problem(
      path,
      'is missing, and secrets of the database are encrypted: put it back, or name the file that holds the key',
      error,
    )
  }
}

function parse(path: string, text: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64')
  // What is no base64 is passed over by the decoder.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw problem(path, `must hold ${KEY_BYTES} bytes as base64, such as "openssl rand -base64 32" makes`)
  }
  return new Uint8Array(key)
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw problem(path, 'cannot be read', error)
  })
}

/** Two processes may come here at once: the file of the first counts. */
async function make(path: string): Promise<{ readonly text: string; readonly isOwn: boolean }> {
  const temporary = `${path}.${randomUUID()}`
  const made = `${randomBytes(KEY_BYTES).toString('base64')}\n`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(temporary, made, OWN_AND_LASTING)
    // A link fails where there is a file, and is never seen half written.
    await link(temporary, path).catch(async (error: unknown) => {
      if (NO_LINKS.has(codeOf(error))) await writeFile(path, made, OWN_AND_LASTING)
      else throw error
    })
    return { text: made, isOwn: true }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw problem(path, 'cannot be written', error)
    return { text: (await readIfThere(path)) ?? '', isOwn: false }
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

/** Somebody may have put the right one back meanwhile. */
async function removeIfSame(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) === text) await unlink(path)
}

function problem(path: string, what: string, cause?: unknown): SecretKeyError {
  return new SecretKeyError(`the file with the secret-encryption key, ${path}, ${what}`, { cause })
}
