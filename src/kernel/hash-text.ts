import { toBase64Url } from './crypto.js'

const HASH_BYTES = 16

/** A one-shot hash function, as in `node:crypto`. */
type Hash = (algorithm: 'sha256', text: string, encoding: 'buffer') => Digest

interface Digest {
  subarray(start: number, end: number): { toString(encoding: 'base64url'): string }
}

/** The globals that only some runtimes have. */
interface RuntimeGlobals {
  readonly process?: { readonly getBuiltinModule?: (id: 'node:crypto') => { readonly hash?: Hash } | undefined }
}

/**
 * Node's own hash function; undefined in another runtime. WebCrypto starts a job for each text, which takes five times as
 * long as the hash of a short text.
 */
const hash = (globalThis as RuntimeGlobals).process?.getBuiltinModule?.('node:crypto')?.hash

/** Hashes a text as UTF-8. @returns 128 bits of SHA-256, as base64url */
export async function hashText(text: string): Promise<string> {
  if (hash !== undefined) {
    return hash('sha256', text, 'buffer').subarray(0, HASH_BYTES).toString('base64url')
  }
  return await hashByWebCrypto(text)
}

/** As {@link hashText}, in every runtime. */
export async function hashByWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return toBase64Url(new Uint8Array(digest, 0, HASH_BYTES))
}
