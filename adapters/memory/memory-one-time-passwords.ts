import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OneTimePasswords } from '../../src/ports/index.js'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** One-time passwords of RFC 6238, without a library. */
export class MemoryOneTimePasswords implements OneTimePasswords {
  async createSecret(): Promise<string> {
    return Array.from(randomBytes(32), (byte) => BASE32[byte % BASE32.length]).join('')
  }

  async uriOf(label: { readonly issuer: string; readonly account: string; readonly secret: string }): Promise<string> {
    const [issuer, account] = [label.issuer, label.account].map((text) => encodeURIComponent(text.replaceAll(':', ' ')))
    return `otpauth://totp/${issuer}:${account}?issuer=${issuer}&secret=${label.secret}&algorithm=SHA1&digits=6&period=30`
  }

  async stepOf(secret: string, code: string, now: Date, window: number): Promise<number | undefined> {
    if (!/^[0-9]{6}$/.test(code)) return undefined
    const current = Math.floor(now.getTime() / STEP_MS)
    const steps = Array.from({ length: 2 * window + 1 }, (_, index) => current - window + index)
    return steps.find((step) => timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)))
  }
}

/** Computes a code by RFC 4226, section 5.3. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

function decodeBase32(base32: string): Buffer {
  const bits = Array.from(base32, (character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}
