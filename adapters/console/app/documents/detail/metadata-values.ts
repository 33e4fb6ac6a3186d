import type { Metadata } from '../document.js'
import { valueText } from '../metadata.js'

export type Kind = 'text' | 'number' | 'yes' | 'list'

/** A value as the fields of a dialog have it. */
export interface EditedValue {
  /** Tells fields apart: two may have the same key for a while. */
  readonly field: number
  readonly key: string
  readonly kind: Kind
  readonly text: string
}

/** The name of a mistake in a value. */
export type ValueProblem = 'notNumber' | 'notYes' | 'sameKey' | 'noKey'

type Value = Metadata[string]

export function toEdited(metadata: Metadata): readonly EditedValue[] {
  return Object.entries(metadata).map(([key, value], field) => ({
    field,
    key,
    kind: kindOf(value),
    text: valueText(value),
  }))
}

export function problemOf(value: EditedValue, all: readonly EditedValue[]): ValueProblem | undefined {
  const { key, kind, text, field } = value
  if (key === '') return text === '' ? undefined : 'noKey'
  if (all.some((other) => other.field < field && other.key === key)) return 'sameKey'
  if (kind === 'number' && (text.trim() === '' || !Number.isFinite(Number(text)))) return 'notNumber'
  return kind === 'yes' && !['true', 'false'].includes(text.trim()) ? 'notYes' : undefined
}

/** The changes that make the metadata what the fields say: null removes a key. Fields without a key are left out. */
export function changesOf(before: Metadata, edited: readonly EditedValue[]): Record<string, Value | null> {
  const kept = edited.filter(({ key }) => key !== '')
  const removed = Object.keys(before).filter((key) => !kept.some((value) => value.key === key))
  const changed = kept
    .filter(({ key, kind, text }) => !isSame(before[key], kind, text))
    .map((value) => [value.key, parse(value)] as const)
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed])
}

/** By what the fields show: a text of several lines, or an item with a semicolon, stays as it was. */
function isSame(value: Value | undefined, kind: Kind, text: string): boolean {
  return value !== undefined && kindOf(value) === kind && valueText(value) === text
}

function kindOf(value: Value): Kind {
  if (typeof value === 'object') return 'list'
  if (typeof value === 'boolean') return 'yes'
  return typeof value === 'number' ? 'number' : 'text'
}

function parse({ kind, text }: EditedValue): Value {
  if (kind === 'number') return Number(text)
  if (kind === 'yes') return text.trim() === 'true'
  if (kind === 'text') return text
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
