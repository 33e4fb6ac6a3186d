import { classAt, JOINER, LETTER } from './character-class.js'
import {
  fold,
  foldedTerm,
  JOINED,
  MAX_TERM_LENGTH,
  PART,
  type Sink,
  type TermKind,
  truncate,
  WHOLE,
  WORD,
} from './term.js'

/** A run of letters and digits, with the punctuation that joins it to the run before. */
interface Atom {
  readonly start: number
  readonly end: number
  /** The folded text, with the sign of "C++" and "C#". Empty if folding leaves nothing. */
  readonly term: string
  /** The folded text without the sign. */
  readonly bare: string
  /** Offset after the last letter or digit: the end without the sign. */
  readonly bareEnd: number
  /** The punctuation before the atom: empty for the first one, otherwise one joiner, "://" or "::". */
  readonly joint: string
}

/** Joints that separate the groups of a compound: "user" and "example.com" of "user@example.com". */
const OUTER_JOINTS = new Set(['/', '\\', '@', ':', '#', '://', '::'])
const APOSTROPHE = /^['\u2019\u2018]$/
/** Endings of English words after an apostrophe. They have no meaning of their own. */
const CONTRACTED_ENDINGS = new Set(['s', 'll', 're', 've', 'd', 'm'])
const WORD_JOINT = /^[-'&\u2018\u2019\u2010\u2011\u00b7\u05f3\u05f4]$/
const DIGIT_IN = /[0-9]/
const STARTS_WITH_DIGIT = /^[0-9]/
const ENDS_WITH_DIGIT = /[0-9]$/
/** Signs that begin identifiers: "#1795", ".NET", "@name". */
const PREFIX = /^[#.@]$/

/**
 * Scans a run of letters, digits and joiners. A single word is one term. Several joined words give these terms:
 *
 * - each word,
 * - each group of closely joined words ("example.com"),
 * - the whole ("user@example.com").
 *
 * Terms of groups and wholes have no joiners, so that other ways of joining match too: "E4711" finds "E-4711", and
 * "snakeCase" finds "snake_case". Joiners between digits stay: 1.23 is not 12.3.
 */
export function scanCompound(text: string, start: number, end: number, sink: Sink): void {
  let at = start
  let compound: Atom[] = []
  let prefix = ''
  while (at < end) {
    const jointStart = at
    while (at < end && classAt(text, at) === JOINER) at++
    const joint = toAsciiForm(text.slice(jointStart, Math.min(at, jointStart + 4)))
    if (at === end) break
    const atom = readAtom(text, at, end, joint)
    at = atom.end
    if (atom.term === '') continue
    if (compound.length > 0 && !canJoin(joint, compound.at(-1), atom)) {
      emitCompound(text, compound, prefix, sink)
      compound = []
      prefix = ''
    }
    if (compound.length === 0 && jointStart === start && PREFIX.test(joint)) prefix = joint
    compound.push(atom)
  }
  if (compound.length > 0) emitCompound(text, compound, prefix, sink)
}

/** Replaces full-width joiners by their ASCII forms. */
function toAsciiForm(joint: string): string {
  return joint === '' || joint.charCodeAt(0) < 0x80 ? joint : joint.normalize('NFKC')
}

function readAtom(text: string, start: number, end: number, joint: string): Atom {
  let at = start
  while (at < end && classAt(text, at) !== JOINER) at++
  const bare = foldedTerm(text, start, at)
  const sign = signAt(text, at, end)
  return { start, end: at + sign.length, term: bare === '' ? '' : truncate(bare + sign), bare, bareEnd: at, joint }
}

/** @returns "++" or "#" after a word if no letter follows: in "C++", "C#" and "C++17", but not in "a#b" */
function signAt(text: string, at: number, end: number): string {
  const signs = toAsciiForm(text.slice(at, Math.min(end, at + 2)))
  const sign = signs === '++' ? '++' : signs.startsWith('#') ? '#' : ''
  if (sign === '') return ''
  const next = at + sign.length
  return next < end && classAt(text, next) === LETTER ? '' : sign
}

/** True if the joint continues the compound, rather than ends it. */
function canJoin(joint: string, before: Atom | undefined, atom: Atom): boolean {
  if (joint === ',') return before !== undefined && isThousandsGroup(before, atom)
  return joint.length <= 1 || joint === '://' || joint === '::'
}

/** True if the comma between two atoms separates thousands, as in 1,234. */
function isThousandsGroup(before: Atom, atom: Atom): boolean {
  const isGroup = atom.bare.length === 3 && /^[0-9]{3}$/.test(atom.bare)
  return isGroup && /^[0-9]{1,3}$/.test(before.bare) && (before.joint === ',' ? before.bare.length === 3 : true)
}

function emitCompound(text: string, atoms: readonly Atom[], prefix: string, sink: Sink): void {
  const [first] = atoms
  const last = atoms.at(-1)
  if (first === undefined || last === undefined) return
  const groups = splitGroups(atoms)
  const [firstGroup = []] = groups
  const prefixed = prefix === '' ? '' : truncate(prefix + joinAtoms(firstGroup))
  if (prefixed !== '') sink(prefixed, first.start - 1, firstGroup.at(-1)?.end ?? first.end, WHOLE)
  if (groups.length > 1) sink(joinAtoms(atoms), first.start, last.end, WHOLE)
  for (const group of groups) emitGroup(text, group, prefixed !== '' || groups.length > 1, sink)
}

function splitGroups(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const groups: Atom[][] = []
  for (const atom of atoms) {
    const group = groups.at(-1)
    if (group === undefined || OUTER_JOINTS.has(atom.joint)) groups.push([atom])
    else group.push(atom)
  }
  return groups
}

function emitGroup(text: string, group: readonly Atom[], isInCompound: boolean, sink: Sink): void {
  const [first, second] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) return
  const ending = group.length === 2 && second !== undefined && APOSTROPHE.test(second.joint) ? second.term : ''
  const areWords = group.every(isWordOfCompound)
  const kind = isInCompound || !areWords ? PART : WORD
  if (group.length === 1 || CONTRACTED_ENDINGS.has(ending)) {
    emitAtom(text, first, isInCompound ? PART : WORD, sink)
    return
  }
  sink(joinAtoms(group), first.start, last.end, areWords ? JOINED : WHOLE)
  if (ending !== 't') for (const atom of group) emitAtom(text, atom, kind, sink)
}

/** True if the atom may be a word of a phrase such as "state-of-the-art", rather than a part of an identifier. */
function isWordOfCompound({ bare, joint }: Atom): boolean {
  return !DIGIT_IN.test(bare) && (joint === '' || PREFIX.test(joint) || WORD_JOINT.test(joint))
}

/** @returns the atoms as one term */
function joinAtoms(atoms: readonly Atom[]): string {
  let term = ''
  for (const { term: next, joint } of atoms) {
    if (term.length > MAX_TERM_LENGTH) break
    const isBetweenDigits = joint !== ',' && ENDS_WITH_DIGIT.test(term) && STARTS_WITH_DIGIT.test(next)
    term += isBetweenDigits ? joint + next : next
  }
  return truncate(term)
}

function emitAtom(text: string, { start, end, term, bare, bareEnd }: Atom, kind: TermKind, sink: Sink): void {
  const pieces = bareEnd - start > MAX_TERM_LENGTH ? [] : splitPieces(text.slice(start, bareEnd))
  sink(term, start, end, pieces.length > 0 ? WHOLE : kind)
  if (term !== bare) sink(bare, start, bareEnd, PART)
  for (const piece of pieces) {
    const folded = fold(piece.text)
    if (folded !== '') sink(folded, start + piece.start, start + piece.end, PART)
  }
}

/** A part of a word, with its range in the word. */
interface Piece {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * A piece is a run of digits, or capitals with the lower-case letters after them. A run of capitals ends before the
 * capital that begins the next word: "HTTP" and "Server" in "HTTPServer".
 */
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{Nd}]+|\p{Lu}|\p{Nd}+/gu
const MAY_HAVE_PIECES = /\p{Lu}|\p{Nd}/u
/** A word that is one piece: "PDF", "Pdf", "404". */
const ONE_PIECE = /^(?:\p{Lu}*|\p{Lu}[^\p{Lu}\p{Nd}]*|\p{Nd}+)$/u
/** Capitals with a plural s, as in "PDFs": the last capital does not begin a word. */
const PLURAL_OF_CAPITALS = /^(\p{Lu}{2,})s$/u
/**
 * Persian joins words by a zero-width character, as other languages do by a hyphen. Some writers use a space instead.
 */
const PERSIAN_COMPOUND = /[\u0620-\u06d3]\u200c[\u0620-\u06d3]/
const NOT_JOINED = /[^\u200c]+/g
/** Minimum mean length of the pieces, in UTF-16 units, of a word with more than {@link FEW_PIECES} pieces. */
const MIN_MEAN_LENGTH = 3
const FEW_PIECES = 3

/**
 * Splits a word where its case changes, and where letters and digits meet. A text with many short pieces is not a name
 * but base64 or a hash, so it is not split.
 *
 * @returns the pieces; none if the word is not split
 */
function splitPieces(word: string): readonly Piece[] {
  if (PERSIAN_COMPOUND.test(word)) return matchPieces(NOT_JOINED, word)
  if (!MAY_HAVE_PIECES.test(word)) return []
  const [, capitals] = PLURAL_OF_CAPITALS.exec(word) ?? []
  if (capitals !== undefined) return [{ text: capitals, start: 0, end: capitals.length }]
  if (ONE_PIECE.test(word)) return []
  const pieces = matchPieces(PIECE, word)
  if (pieces.length > FEW_PIECES && pieces.length * MIN_MEAN_LENGTH > word.length) return []
  return pieces.length > 1 ? pieces : []
}

function matchPieces(pattern: RegExp, word: string): Piece[] {
  return Array.from(word.matchAll(pattern), ({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
}
