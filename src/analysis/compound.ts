import { classAt, JOINER, LETTER } from './character-class.js'
import { cut, fold, foldedTerm, MAX_TERM_LENGTH } from './fold.js'
import { piecesOf } from './pieces.js'
import { JOINED, PART, type Sink, type TermKind, WHOLE, WORD } from './term.js'

/** A stretch of letters and digits, with what joins it to the one before. */
interface Atom {
  readonly start: number
  readonly end: number
  /** Folded; with the sign of "C++" and "C#". */
  readonly term: string
  /** Folded, without the sign; empty where there is none. */
  readonly bare: string
  readonly bareEnd: number
  /** What stands before it: nothing for the first, one joiner or "://" otherwise. */
  readonly joint: string
}

const OUTER_JOINTS = new Set(['/', '\\', '@', ':', '#', '://', '::'])
const APOSTROPHE = /^['\u2019\u2018]$/
/** Endings of English words after an apostrophe, which say nothing. */
const CONTRACTED = new Set(['s', 'll', 're', 've', 'd', 'm'])
const WORD_JOINT = /^[-'&\u2018\u2019\u2010\u2011\u00b7\u05f3\u05f4]$/
const DIGIT_IN = /[0-9]/
const STARTS_WITH_DIGIT = /^[0-9]/
const ENDS_WITH_DIGIT = /[0-9]$/
/** Signs that begin identifiers: "#1795", ".NET", "@name". */
const PREFIX = /^[#.@]$/

/**
 * Terms of a run of letters, digits and joiners: each word, and where several are joined, each, the groups that are
 * joined closely ("example.com"), and the whole ("user@example.com"), without the joiners, so that another way of
 * joining them is found too ("E-4711" by "E4711", "snake_case" by "snakeCase"). Between digits joiners are kept: 1.23
 * is not 12.3.
 */
export function scanCompound(text: string, start: number, end: number, sink: Sink): void {
  let at = start
  let compound: Atom[] = []
  let prefix = ''
  while (at < end) {
    const jointStart = at
    while (at < end && classAt(text, at) === JOINER) at++
    const joint = narrow(text.slice(jointStart, Math.min(at, jointStart + 4)))
    if (at === end) break
    const atom = readAtom(text, at, end, joint)
    at = atom.end
    if (atom.term === '') continue
    if (compound.length > 0 && !isJoint(joint, compound.at(-1), atom)) {
      emitCompound(text, compound, prefix, sink)
      compound = []
      prefix = ''
    }
    if (compound.length === 0 && jointStart === start && PREFIX.test(joint)) prefix = joint
    compound.push(atom)
  }
  if (compound.length > 0) emitCompound(text, compound, prefix, sink)
}

/** ASCII forms of full-width joiners. */
function narrow(joint: string): string {
  return joint === '' || joint.charCodeAt(0) < 0x80 ? joint : joint.normalize('NFKC')
}

function readAtom(text: string, start: number, end: number, joint: string): Atom {
  let at = start
  while (at < end && classAt(text, at) !== JOINER) at++
  const bare = foldedTerm(text, start, at)
  const sign = signAt(text, at, end)
  return { start, end: at + sign.length, term: bare === '' ? '' : cut(bare + sign), bare, bareEnd: at, joint }
}

/** "++" or "#" after a word, where no letter follows: "C++", "C#", "C++17"; not "a#b". */
function signAt(text: string, at: number, end: number): string {
  const signs = narrow(text.slice(at, Math.min(end, at + 2)))
  const sign = signs === '++' ? '++' : signs.startsWith('#') ? '#' : ''
  if (sign === '') return ''
  const next = at + sign.length
  return next < end && classAt(text, next) === LETTER ? '' : sign
}

function isJoint(joint: string, before: Atom | undefined, atom: Atom): boolean {
  if (joint === ',') return before !== undefined && isThousands(before, atom)
  return joint.length <= 1 || joint === '://' || joint === '::'
}

/** The comma of 1,234. */
function isThousands(before: Atom, atom: Atom): boolean {
  const isGroup = atom.bare.length === 3 && /^[0-9]{3}$/.test(atom.bare)
  return isGroup && /^[0-9]{1,3}$/.test(before.bare) && (before.joint === ',' ? before.bare.length === 3 : true)
}

function emitCompound(text: string, atoms: readonly Atom[], prefix: string, sink: Sink): void {
  const [first] = atoms
  const last = atoms.at(-1)
  if (first === undefined || last === undefined) return
  const groups = groupsOf(atoms)
  const [firstGroup = []] = groups
  const prefixed = prefix === '' ? '' : cut(prefix + joined(firstGroup))
  if (prefixed !== '') sink(prefixed, first.start - 1, firstGroup.at(-1)?.end ?? first.end, WHOLE)
  if (groups.length > 1) sink(joined(atoms), first.start, last.end, WHOLE)
  for (const group of groups) emitGroup(text, group, prefixed !== '' || groups.length > 1, sink)
}

function groupsOf(atoms: readonly Atom[]): readonly (readonly Atom[])[] {
  const groups: Atom[][] = []
  for (const atom of atoms) {
    const group = groups.at(-1)
    if (group === undefined || OUTER_JOINTS.has(atom.joint)) groups.push([atom])
    else group.push(atom)
  }
  return groups
}

function emitGroup(text: string, group: readonly Atom[], isOfWhole: boolean, sink: Sink): void {
  const [first, second] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) return
  const ending = group.length === 2 && second !== undefined && APOSTROPHE.test(second.joint) ? second.term : ''
  const areWords = group.every(isWordOfCompound)
  const kind = isOfWhole || !areWords ? PART : WORD
  if (group.length === 1 || CONTRACTED.has(ending)) {
    emitAtom(text, first, isOfWhole ? PART : WORD, sink)
    return
  }
  sink(joined(group), first.start, last.end, areWords ? JOINED : WHOLE)
  if (ending !== 't') for (const atom of group) emitAtom(text, atom, kind, sink)
}

/** Whether it may be a word of "state-of-the-art", rather than a part of an identifier. */
function isWordOfCompound({ bare, joint }: Atom): boolean {
  return !DIGIT_IN.test(bare) && (joint === '' || PREFIX.test(joint) || WORD_JOINT.test(joint))
}

/** The atoms as one term. */
function joined(atoms: readonly Atom[]): string {
  let term = ''
  for (const { term: next, joint } of atoms) {
    if (term.length > MAX_TERM_LENGTH) break
    const isBetweenDigits = joint !== ',' && ENDS_WITH_DIGIT.test(term) && STARTS_WITH_DIGIT.test(next)
    term += isBetweenDigits ? joint + next : next
  }
  return cut(term)
}

function emitAtom(text: string, { start, end, term, bare, bareEnd }: Atom, kind: TermKind, sink: Sink): void {
  const pieces = bareEnd - start > MAX_TERM_LENGTH ? [] : piecesOf(text.slice(start, bareEnd))
  sink(term, start, end, pieces.length > 0 ? WHOLE : kind)
  if (term !== bare) sink(bare, start, bareEnd, PART)
  for (const piece of pieces) {
    const folded = fold(piece.text)
    if (folded !== '') sink(folded, start + piece.start, start + piece.end, PART)
  }
}
