import { sha256Hex } from '../../kernel/random.js'

const COUNT = 10
/** 32 characters, none of which is taken for another. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 16 characters have 80 random bits: a plain hash of them cannot be reversed by trying. */
const GROUPS = 4
const GROUP_LENGTH = 4

/** Codes that take the place of a one-time password, each once. They are shown this once. */
export interface RecoveryCodes {
  /** 10 codes such as `7KQM-XW2D-4HTA-9RPE`. Case, spaces and dashes do not count when one is entered. */
  readonly recoveryCodes: readonly string[]
}

/** Makes the recovery codes of a user. @returns them, and what is stored of them */
export async function newRecoveryCodes(
  userId: number,
): Promise<RecoveryCodes & { readonly hashes: readonly string[] }> {
  const recoveryCodes = Array.from({ length: COUNT }, newCode)
  const hashes = await Promise.all(recoveryCodes.map(async (code) => await hashOfRecoveryCode(userId, code)))
  return { recoveryCodes, hashes }
}

/** The hash of what somebody has entered. The user is in it: two users with one code would be seen otherwise. */
export async function hashOfRecoveryCode(userId: number, entered: string): Promise<string> {
  return await sha256Hex(`${userId}:${normalCode(entered)}`)
}

/** A code as people enter it, in the form in which codes are compared. */
export function normalCode(entered: string): string {
  return entered
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
}

function newCode(): string {
  const random = crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LENGTH))
  const characters = Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return characters.match(/.{4}/g)?.join('-') ?? characters
}
