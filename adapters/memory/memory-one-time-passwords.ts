import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OneTimePasswords } from '../../src/ports/index.js'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** RFC 6238 as it is written. */
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
    const steps = Array.from({ length: 2 * window + 1 }, (_, at) => current - window + at)
    return steps.find((step) => timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code)))
  }
}

/** RFC 4226, section 5.3. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

function bytesOf(base32: string): Buffer {
  const bits = Array.from(base32, (character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}
