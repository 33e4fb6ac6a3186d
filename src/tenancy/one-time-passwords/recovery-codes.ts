import { sha256Hex } from '../../kernel/random.js'

const COUNT = 10
/** 32 characters that people do not confuse with each other. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
/** 16 characters have 80 random bits, so that nobody can reverse a plain hash by trying all codes. */
const GROUPS = 4
const GROUP_LENGTH = 4

/** Codes that replace a one-time password, each of them once. They cannot be read a second time. */
export interface RecoveryCodes {
  /** 10 codes such as `7KQM-XW2D-4HTA-9RPE`. Case, spaces and dashes do not matter when a user enters one. */
  readonly recoveryCodes: readonly string[]
}

/** Creates the recovery codes of a user. @returns the codes, and the hashes to store */
export async function newRecoveryCodes(
  userId: number,
): Promise<RecoveryCodes & { readonly hashes: readonly string[] }> {
  const recoveryCodes = Array.from({ length: COUNT }, newCode)
  const hashes = await Promise.all(recoveryCodes.map(async (code) => await hashOfRecoveryCode(userId, code)))
  return { recoveryCodes, hashes }
}

/** The hash of an entered code. It includes the user id, so that equal codes of two users have different hashes. */
export async function hashOfRecoveryCode(userId: number, entered: string): Promise<string> {
  return await sha256Hex(`${userId}:${normalizeCode(entered)}`)
}

/** The form in which entered codes are compared. */
export function normalizeCode(entered: string): string {
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
