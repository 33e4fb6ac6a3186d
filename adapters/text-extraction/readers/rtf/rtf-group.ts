// cspell:ignore intbl itap outlinelevel
import type { Destination } from './rtf-destinations.js'

/** Tables that are nested more deeply are read as one of this depth. */
const MAX_TABLES = 8
const MAX_FALLBACK = 100

/** The properties that a group inherits, and forgets at its end. */
export interface RtfGroup {
  destination: Destination
  /** True until the first word or text. */
  isFirst: boolean
  isOptional: boolean
  /** True if the text of the group stands beside the one around it. */
  isBeside: boolean
  font: number | undefined
  /** The characters that follow each character in Unicode, for programs that do not know it. */
  fallback: number
  isHidden: boolean
  isDeleted: boolean
  style: number
  outline: number | undefined
  isInTable: boolean
  /** The number of tables around the paragraph, if the file tells it. */
  depth: number
}

export function newGroup(): RtfGroup {
  return {
    destination: 'text',
    isFirst: true,
    isOptional: false,
    isBeside: false,
    font: undefined,
    fallback: 1,
    isHidden: false,
    isDeleted: false,
    style: 0,
    outline: undefined,
    isInTable: false,
    depth: 0,
  }
}

/** Sets the property that a control word names. @returns false if it names none of a group */
export function setProperty(group: RtfGroup, word: string, param: number | undefined): boolean {
  const isOn = param !== 0
  if (word === 'f') group.font = param
  else if (word === 'uc') group.fallback = Math.max(0, Math.min(MAX_FALLBACK, param ?? 1))
  else if (word === 'v') group.isHidden = isOn
  else if (word === 'deleted') group.isDeleted = isOn
  else if (word === 'plain') Object.assign(group, { font: undefined, isHidden: false, isDeleted: false })
  else if (word === 'pard') Object.assign(group, { style: 0, outline: undefined, isInTable: false, depth: 0 })
  else if (word === 's') group.style = param ?? 0
  else if (word === 'outlinelevel') group.outline = param
  else if (word === 'intbl') group.isInTable = true
  else if (word === 'itap') group.depth = Math.max(0, Math.min(MAX_TABLES, param ?? 1))
  else return false
  return true
}
