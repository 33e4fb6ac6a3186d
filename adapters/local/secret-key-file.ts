import { randomBytes } from 'node:crypto'
import { mkdir, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SecretKeyError } from '../../src/index.js'
import { codeOf, createPrivateFile } from '../node-kit/index.js'

const KEY_BYTES = 32
/**
 * Runs `open` with the key that encrypts secrets. The file contains 32 bytes as base64, for example from
 * `openssl rand -base64 32`. It is created with mode 0600 if it is missing. If the database refuses a new key because
 * it has another one, the new file is removed, so that the operator can put the other one there.
 *
 * @throws SecretKeyError if the file cannot be read or created, or does not contain the key of the database
 */
export async function withSecretKey<T>(path: string, open: (secretKey: Uint8Array) => Promise<T>): Promise<T> {
  const found = await readIfPresent(path)
  if (found !== undefined) return await open(parse(path, found))
  const { text, isNew } = await createKeyFile(path)
  try {
    return await open(parse(path, text))
  } catch (error) {
    if (!isNew || !(error instanceof SecretKeyError)) throw error
    await removeIfSame(path, text)
    throw problem(
      path,
      'is missing, but the database has secrets encrypted with it: put the file back, or give its path with secretKeyFile (--secret-key-file)',
      error,
    )
  }
}

function parse(path: string, text: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64')
  // The decoder skips characters that are not base64, so the text is compared.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw problem(path, `must contain ${KEY_BYTES} bytes as base64, for example from "openssl rand -base64 32"`)
  }
  return new Uint8Array(key)
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw problem(path, 'cannot be read', error)
  })
}

/** Two processes may create the file at the same time. The first one wins. */
async function createKeyFile(path: string): Promise<{ readonly text: string; readonly isNew: boolean }> {
  const text = `${randomBytes(KEY_BYTES).toString('base64')}\n`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (await createPrivateFile(path, text)) return { text, isNew: true }
  } catch (error) {
    throw problem(path, 'cannot be written', error)
  }
  return { text: (await readIfPresent(path)) ?? '', isNew: false }
}

/** The operator may have put the right key there in the meantime. */
async function removeIfSame(path: string, text: string): Promise<void> {
  if ((await readIfPresent(path)) === text) await unlink(path)
}

function problem(path: string, predicate: string, cause?: unknown): SecretKeyError {
  return new SecretKeyError(`the file with the secret-encryption key, ${path}, ${predicate}`, { cause })
}
