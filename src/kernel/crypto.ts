import { SecretKeyError, SecretUnreadableError } from './errors.js'
import { isBytes } from './realms.js'

const CIPHER = 'AES-GCM'
const KEY_BYTES = 32
/** NIST SP 800-38D, section 8.2: 96 bits, never used twice with the same key. */
const NONCE_BYTES = 12
const VERSION = 'v1:'

/** Encrypts secrets with AES-256-GCM, with a key that is not in the database. */
export class SecretBox {
  readonly #key: ReturnType<typeof importKey>

  /** @throws SecretKeyError where the key does not have 32 bytes */
  constructor(key: Uint8Array) {
    requireSecretKey(key)
    this.#key = importKey(key)
  }

  /** @returns printable ASCII; each call returns another text */
  async seal(secret: string): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
    const text = new TextEncoder().encode(secret)
    const sealed = await crypto.subtle.encrypt({ name: CIPHER, iv: nonce }, await this.#key, text)
    return VERSION + toBase64(new Uint8Array([...nonce, ...new Uint8Array(sealed)]))
  }

  /** @throws SecretUnreadableError for a text that was altered, or sealed with another key */
  async open(sealed: string): Promise<string> {
    try {
      if (!sealed.startsWith(VERSION)) throw new Error('unknown version of a sealed secret')
      const bytes = fromBase64(sealed.slice(VERSION.length))
      const nonce = bytes.slice(0, NONCE_BYTES)
      const text = await crypto.subtle.decrypt({ name: CIPHER, iv: nonce }, await this.#key, bytes.slice(NONCE_BYTES))
      return new TextDecoder().decode(text)
    } catch (cause) {
      throw new SecretUnreadableError('a stored secret cannot be decrypted: rotate it', { cause })
    }
  }
}

/** @throws SecretKeyError where the key does not have 32 bytes */
export function requireSecretKey(key: unknown): void {
  if (isBytes(key) && key.length === KEY_BYTES) return
  throw new SecretKeyError(`the key that secrets are encrypted with must have ${KEY_BYTES} bytes`)
}

async function importKey(key: Uint8Array) {
  return await crypto.subtle.importKey('raw', new Uint8Array(key), CIPHER, false, ['encrypt', 'decrypt'])
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** Base64url without padding: RFC 4648, section 5. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Cryptographically secure random bytes, as base64url. */
export function randomToken(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))
}

/** SHA-256 as lower-case hex. A text is hashed as UTF-8. */
export async function sha256Hex(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
