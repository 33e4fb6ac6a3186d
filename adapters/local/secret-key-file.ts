import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SecretKeyError } from '../../src/index.js'

const KEY_BYTES = 32

/**
 * The key that secrets are encrypted with, from a file with 32 bytes as base64 (`openssl rand -base64 32` makes
 * one); made with mode 0600 where there is none.
 *
 * @throws SecretKeyError where the file cannot be read or made, or does not hold such a key
 */
export async function readSecretKey(path: string): Promise<Uint8Array> {
  const text = (await readIfThere(path)) ?? (await make(path))
  const key = Buffer.from(text.trim(), 'base64')
  // What is no base64 is passed over by the decoder.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw problem(path, `must hold ${KEY_BYTES} bytes as base64, such as "openssl rand -base64 32" makes`)
  }
  return new Uint8Array(key)
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw problem(path, 'cannot be read', error)
  })
}

/** Two processes may come here at once: the file of the first counts. */
async function make(path: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(temporary, 'wx', 0o600)
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
    await file.sync()
    await file.close()
    // A link fails where there is a file, and is never seen half written.
    await link(temporary, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
    return await readFile(path, 'utf8')
  } catch (error) {
    throw problem(path, 'cannot be written', error)
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

function problem(path: string, what: string, cause?: unknown): SecretKeyError {
  return new SecretKeyError(`the file with the secret-encryption key, ${path}, ${what}`, { cause })
}
