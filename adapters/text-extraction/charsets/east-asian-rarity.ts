import { cached } from './characters.js'
import { CANDIDATES, type EverydayBytes } from './charset-candidates.js'
import { decodeWhole } from './charset-decoder.js'
import { FREQUENT_CHINESE, FREQUENT_HANGUL, FREQUENT_KANJI } from './letter-frequencies.js'

const FREQUENT = {
  chinese: new Set(FREQUENT_CHINESE),
  japanese: new Set(FREQUENT_KANJI),
  korean: new Set(FREQUENT_HANGUL),
} as const
const everydaySets = new Map<EverydayBytes, ReadonlySet<string>>()
const eastAsian = new Map<EverydayBytes, (character: string) => number>()

/** The rarity of a character in an East Asian text, in bits. */
export function eastAsianBits(character: string, everyday: EverydayBytes): number {
  const bits = eastAsian.get(everyday) ?? cached((each) => rarityOf(each, everyday))
  eastAsian.set(everyday, bits)
  return bits(character)
}

function rarityOf(character: string, everyday: EverydayBytes): number {
  if (FREQUENT[everyday.script].has(character)) return 8
  if (/[、。，：；？！「」『』（）《》“”・ー　]/.test(character)) return 7
  if (/[\u3040-\u30FF]/.test(character)) return everyday.script === 'japanese' ? 6.5 : 15
  if (/[\uFF61-\uFF9F]/.test(character)) return 10
  if (/[\uFF00-\uFFEF]/.test(character)) return 9
  if (everydayOf(everyday).has(character)) return 12
  return /\p{Script=Han}|\p{Script=Hangul}/u.test(character) ? 18 : 14
}

function everydayOf(everyday: EverydayBytes): ReadonlySet<string> {
  const known = everydaySets.get(everyday)
  if (known !== undefined) return known
  const name = CANDIDATES.find((candidate) => candidate.everyday === everyday)?.name ?? ''
  const bytes: number[] = []
  for (let lead = everyday.leads[0]; lead <= everyday.leads[1]; lead += 1) {
    for (let trail = everyday.trails[0]; trail <= everyday.trails[1]; trail += 1) bytes.push(lead, trail)
  }
  const set = new Set(decodeWhole(name, Uint8Array.from(bytes)))
  set.delete('\uFFFD')
  everydaySets.set(everyday, set)
  return set
}
