const HASH_BYTES = 16

/** The globals that only some runtimes have. */
interface RuntimeGlobals {
  readonly process?: { readonly getBuiltinModule?: (id: 'node:crypto') => typeof import('node:crypto') | undefined }
}

/**
 * Node's own hash functions; undefined in another runtime. WebCrypto starts a job for each text, which takes five times
 * as long as the hash of a short text.
 */
const nodeCrypto = (globalThis as RuntimeGlobals).process?.getBuiltinModule?.('node:crypto')

/** Hashes a text as UTF-8. @returns 128 bits of SHA-256, as base64url */
export async function hashText(text: string): Promise<string> {
  if (nodeCrypto !== undefined) {
    return nodeCrypto.hash('sha256', text, 'buffer').subarray(0, HASH_BYTES).toString('base64url')
  }
  return await hashByWebCrypto(text)
}

/** As {@link hashText}, in every runtime. */
export async function hashByWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const binary = String.fromCharCode(...new Uint8Array(digest, 0, HASH_BYTES))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
