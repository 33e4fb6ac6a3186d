import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import { z } from 'zod'
import { SigningKeyError } from '../../src/ports/index.js'

/** A key of the file. */
export interface SigningKey {
  readonly kid: string
  readonly alg: 'EdDSA' | 'ES256'
  /** The private key. */
  readonly jwk: JWK
  readonly created: string
  /** Since when another key signs; null for the one that does. */
  readonly retired: string | null
}

/** The one that signs comes first. */
type SigningKeys = readonly [SigningKey, ...SigningKey[]]

/** How often the file is looked at: another process may have rotated the key. */
const LOOK_EVERY_MS = 1_000

/** A file that was not there before, for this user alone, on the disk once it is written. */
const OWN_AND_LASTING = { flag: 'wx', mode: 0o600, flush: true }
/** File systems that have no hard links say so in different ways. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'])

/** A change of the file takes some milliseconds. */
const LOCK_RETRY_MS = 20
const MOST_LOCK_WAIT_MS = 15_000
const STALE_LOCK_MS = 10_000

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

/** The signing keys in a file that its owner alone may read. */
export class KeyFile {
  readonly #path: string
  #keys: SigningKeys | undefined
  #modifiedMs = 0
  #lookedAt = 0
  #reading: Promise<SigningKeys> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** The keys as they are now; made at the first call where there is no file. @throws SigningKeyError */
  async read(): Promise<SigningKeys> {
    if (this.#keys !== undefined && performance.now() - this.#lookedAt < LOOK_EVERY_MS) return this.#keys
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return await this.#reading
  }

  /**
   * Makes a new key; the one before stays in the file. Processes that rotate at once take turns.
   * @returns the new key's id
   * @throws SigningKeyError also where another process holds the file for too long
   */
  async rotate(now: Date): Promise<string> {
    const key = await generateKey(now)
    // Makes the file, and the folder for its lock, where there are none.
    await this.#read()
    await this.#inTurn(async () => {
      // Within one tick of its clock, a file system does not tell two changes apart.
      this.#keys = undefined
      const before = await this.#read()
      const kept = before.map((known) => ({ ...known, retired: known.retired ?? now.toISOString() }))
      // Keys that retired long ago can verify nothing any more.
      const dayAgo = now.getTime() - 86_400_000
      await this.#write([key, ...kept.filter(({ retired }) => new Date(retired).getTime() > dayAgo)])
    })
    return key.kid
  }

  /** Works while no other process, and nobody else in this one, changes the file. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const lock = `${this.#path}.lock`
    for (let waitedMs = 0; !(await this.#takeLock(lock)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs >= MOST_LOCK_WAIT_MS)
        throw this.#error(`is being changed by another process: remove ${lock} if none is`)
      await setTimeout(LOCK_RETRY_MS)
    }
    try {
      await work()
    } finally {
      await unlink(lock).catch(() => undefined)
    }
  }

  /** A lock that a killed process has left is removed once it is older than any change takes. */
  async #takeLock(lock: string): Promise<boolean> {
    try {
      await writeFile(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw this.#error('cannot be written', error)
      const found = await stat(lock).catch(() => undefined)
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_LOCK_MS) await unlink(lock).catch(() => undefined)
      return false
    }
  }

  async #read(): Promise<SigningKeys> {
    const found = await stat(this.#path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw this.#error('cannot be read', error)
    })
    if (found === undefined) return await this.#make()
    this.#lookedAt = performance.now()
    if (this.#keys !== undefined && found.mtimeMs === this.#modifiedMs) return this.#keys
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      throw this.#error('cannot be read', error)
    })
    this.#keys = this.#parse(text)
    this.#modifiedMs = found.mtimeMs
    return this.#keys
  }

  #parse(text: string): SigningKeys {
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      throw this.#error('is not JSON')
    }
    const parsed = FILE.safeParse(json)
    if (!parsed.success) throw this.#error('must hold private keys of the curves Ed25519 or P-256, in full length')
    const keys = parsed.data.keys.map((key): SigningKey => ({ ...key, alg: key.jwk.kty === 'EC' ? 'ES256' : 'EdDSA' }))
    const newestFirst = keys.sort((one, other) => other.created.localeCompare(one.created))
    const signing = newestFirst.find(({ retired }) => retired === null)
    if (signing === undefined) throw this.#error('has no key that is in use')
    return [signing, ...newestFirst.filter((key) => key !== signing)]
  }

  /** Two processes may come here at once: the file of the first counts. */
  async #make(): Promise<SigningKeys> {
    const key = await generateKey(new Date())
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw this.#error('cannot be written', error)
    })
    const temporary = await this.#writeTemporary([key])
    try {
      // A link fails where there is a file, and is never seen half written.
      await link(temporary, this.#path).catch(async (error: unknown) => {
        if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error
        await writeFile(this.#path, toText([key]), OWN_AND_LASTING)
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw this.#error('cannot be written', error)
    } finally {
      await unlink(temporary)
    }
    return await this.#read()
  }

  async #write(keys: readonly SigningKey[]): Promise<void> {
    const temporary = await this.#writeTemporary(keys)
    try {
      await rename(temporary, this.#path)
    } catch (error) {
      throw this.#error('cannot be written', error)
    }
    this.#keys = undefined
  }

  async #writeTemporary(keys: readonly SigningKey[]): Promise<string> {
    const temporary = `${this.#path}.${randomUUID()}`
    try {
      await writeFile(temporary, toText(keys), OWN_AND_LASTING)
    } catch (error) {
      throw this.#error('cannot be written', error)
    }
    return temporary
  }

  #error(problem: string, cause?: unknown): SigningKeyError {
    return new SigningKeyError(`the file with the signing keys, ${this.#path}, ${problem}`, { cause })
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
