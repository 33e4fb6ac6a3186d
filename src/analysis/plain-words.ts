import { stem } from './stem.js'
import { plainTerm, WORD } from './term.js'

/** A letter has a number from 1 to 26: its last five bits, in either case. */
const BITS_PER_LETTER = 5
const LETTER_BITS = 2 ** BITS_PER_LETTER - 1
/** The letters of one half of a key, which is an integer of 30 bits. */
const LETTERS_PER_HALF = 6
const MAX_LETTERS = 2 * LETTERS_PER_HALF
/** A power of two. Most texts have fewer frequent words. */
const SLOTS = 2 ** 15

/** The two halves of the key of the word in each slot. */
const keys = new Int32Array(2 * SLOTS)
const stems: string[] = new Array<string>(SLOTS).fill('')

/**
 * Reduces a word within a text to its stem. Frequent words are found by their letters, because to make a string for each
 * look-up takes most of the time of an analysis. A word is in one slot only, and the next word of that slot replaces it.
 *
 * @param start offset of a word of ASCII letters, in UTF-16 units; all but the first letter are in lower case
 * @param end offset after the word
 */
export function stemOfPlainWord(text: string, start: number, end: number): string {
  if (end - start > MAX_LETTERS) return computeStem(text, start, end)
  let [at, first, second] = [start, 0, 0]
  for (const middle = Math.min(end, start + LETTERS_PER_HALF); at < middle; at++) first = addLetter(first, text, at)
  for (; at < end; at++) second = addLetter(second, text, at)
  const slot = slotOf(first, second)
  if (keys[2 * slot] === first && keys[2 * slot + 1] === second) return stems[slot] ?? ''
  const computed = computeStem(text, start, end)
  keys[2 * slot] = first
  keys[2 * slot + 1] = second
  stems[slot] = computed
  return computed
}

function addLetter(half: number, text: string, at: number): number {
  return (half << BITS_PER_LETTER) | (text.charCodeAt(at) & LETTER_BITS)
}

/** The factor is that of FNV-1a, with 32 bits. */
function slotOf(first: number, second: number): number {
  const hash = Math.imul(Math.imul(first, 0x01000193) ^ second, 0x01000193)
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}

function computeStem(text: string, start: number, end: number): string {
  return stem(plainTerm(text, start, end), WORD)
}
