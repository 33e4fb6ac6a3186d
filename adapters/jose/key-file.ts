import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose'
import { z } from 'zod'
import { SigningKeyError } from '../../src/ports/index.js'
import {
  createPrivateFile,
  FILE_LOCK_HELD,
  isCode,
  makeFolder,
  replacePrivateFile,
  withFileLock,
} from '../node-kit/index.js'

/** A key of the key file. */
export interface SigningKey {
  readonly kid: string
  readonly alg: 'EdDSA' | 'ES256'
  /** The private key. */
  readonly jwk: JWK
  readonly created: string
  /** The time from which another key signs; null for the key that signs now. */
  readonly retired: string | null
}

/** The key that signs comes first. */
type SigningKeys = readonly [SigningKey, ...SigningKey[]]

/** Interval between two checks of the file, which another process may change. */
const CHECK_INTERVAL_MS = 1_000

const MAX_LOCK_WAIT_MS = 15_000
/** The file whose lock a process holds while it changes the keys is named after the key file. */
const LOCK_SUFFIX = '-lock'

const ADVICE =
  'restore the file from a backup, or remove it; without it the engine makes a new key, and everybody logs in again'

const COORDINATE = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
const KEY = z.object({
  kid: z.string().min(1).max(200),
  created: z.iso.datetime(),
  retired: z.iso.datetime().nullable(),
  jwk: z.discriminatedUnion('crv', [
    z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: COORDINATE, d: COORDINATE }),
    z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: COORDINATE, y: COORDINATE, d: COORDINATE }),
  ]),
})
const FILE = z.object({ keys: z.array(KEY).min(1) })

/** The signing keys in a file that only its owner may read. */
export class KeyFile {
  #keys: SigningKeys | undefined
  #modifiedMs = 0
  #checkedAtMs = 0
  #pendingRead: Promise<SigningKeys> | undefined

  constructor(private readonly path: string) {}

  /** Reads the current keys. Creates the file with a new key if it is missing. @throws SigningKeyError */
  async read(): Promise<SigningKeys> {
    if (this.#keys !== undefined && performance.now() - this.#checkedAtMs < CHECK_INTERVAL_MS) return this.#keys
    this.#pendingRead ??= this.#read().finally(() => {
      this.#pendingRead = undefined
    })
    return await this.#pendingRead
  }

  /**
   * Creates a new signing key; the former one stays in the file. A lock makes processes rotate one after the other.
   * @returns the id of the new key
   * @throws SigningKeyError also if another process locks the file for too long
   */
  async rotate(now: Date): Promise<string> {
    const key = await generateKey(now)
    // Creates the file, and the folder of its lock, if they are missing.
    await this.#read()
    await this.#withLock(async () => {
      // The cache is dropped: two changes within one tick of the file system's clock have the same modification time.
      this.#keys = undefined
      const currentKeys = await this.#read()
      const retiredKeys = currentKeys.map((former) => ({ ...former, retired: former.retired ?? now.toISOString() }))
      // A key that retired a day ago verifies no more tokens.
      const dayAgo = now.getTime() - 86_400_000
      await this.#write([key, ...retiredKeys.filter(({ retired }) => new Date(retired).getTime() > dayAgo)])
    })
    return key.kid
  }

  /** Runs work while no other caller, in this process or another, changes the file. */
  async #withLock(work: () => Promise<void>): Promise<void> {
    try {
      await withFileLock(`${this.path}${LOCK_SUFFIX}`, MAX_LOCK_WAIT_MS, work)
    } catch (error) {
      if (error instanceof SigningKeyError) throw error
      if (isCode(error, FILE_LOCK_HELD))
        throw this.#error('is being changed by another process: try again later', error)
      throw this.#error('cannot be written', error)
    }
  }

  async #read(): Promise<SigningKeys> {
    const found = await stat(this.path).catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return undefined
      throw this.#error('cannot be read: make it a file that the process may read, or restore it from a backup', error)
    })
    if (found === undefined) return await this.#create()
    this.#checkedAtMs = performance.now()
    if (this.#keys !== undefined && found.mtimeMs === this.#modifiedMs) return this.#keys
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      throw this.#error('cannot be read: make it a file that the process may read, or restore it from a backup', error)
    })
    this.#keys = await this.#parse(text)
    this.#modifiedMs = found.mtimeMs
    return this.#keys
  }

  async #parse(text: string): Promise<SigningKeys> {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      throw this.#error(`is not JSON: ${ADVICE}`)
    }
    const parsed = FILE.safeParse(json)
    if (!parsed.success)
      throw this.#error(`must hold private keys of the curves Ed25519 or P-256, in full length: ${ADVICE}`)
    const keys = parsed.data.keys.map((key): SigningKey => ({ ...key, alg: key.jwk.kty === 'EC' ? 'ES256' : 'EdDSA' }))
    for (const key of keys) {
      if (!(await isPair(key))) throw this.#error(`has a damaged key: ${ADVICE}`)
    }
    const newestFirst = keys.sort((one, other) => other.created.localeCompare(one.created))
    const signing = newestFirst.find(({ retired }) => retired === null)
    if (signing === undefined) throw this.#error(`has no key that signs, with "retired": null: ${ADVICE}`)
    return [signing, ...newestFirst.filter((key) => key !== signing)]
  }

  /** Creates the file with a first key. If two processes do so at once, the file of the first one stays. */
  async #create(): Promise<SigningKeys> {
    const key = await generateKey(new Date())
    await makeFolder(dirname(this.path)).catch((error: unknown) => {
      throw this.#error('cannot be written', error)
    })
    try {
      await createPrivateFile(this.path, toText([key]))
    } catch (error) {
      throw this.#error('cannot be written', error)
    }
    return await this.#read()
  }

  async #write(keys: readonly SigningKey[]): Promise<void> {
    try {
      await replacePrivateFile(this.path, toText(keys))
    } catch (error) {
      throw this.#error('cannot be written', error)
    }
    this.#keys = undefined
  }

  #error(problem: string, cause?: unknown): SigningKeyError {
    return new SigningKeyError(`the file with the signing keys, ${this.path}, ${problem}`, { cause })
  }
}

/** True if the public part of a key verifies what the private part signs. A changed bit makes them two different keys. */
async function isPair({ alg, jwk }: SigningKey): Promise<boolean> {
  try {
    const { d: _private, ...publicJwk } = jwk
    const signed = await new CompactSign(new Uint8Array(1)).setProtectedHeader({ alg }).sign(await importJWK(jwk, alg))
    await compactVerify(signed, await importJWK(publicJwk, alg))
    return true
  } catch {
    return false
  }
}

async function generateKey(now: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const jwk = await exportJWK(privateKey)
  return { kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', jwk, created: now.toISOString(), retired: null }
}

function toText(keys: readonly SigningKey[]): string {
  const rows = keys.map(({ kid, created, retired, jwk }) => ({ kid, created, retired, jwk }))
  return `${JSON.stringify({ keys: rows }, null, 2)}\n`
}
