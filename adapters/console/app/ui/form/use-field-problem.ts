import { type FocusEvent, type KeyboardEvent, useContext, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { IsTried } from './form.js'

/** The sentences about what a field lacks. */
export const FIELD_TEXTS = phrases({
  en: {
    missing: 'Fill in this field.',
    notChosen: 'Choose one.',
    email: 'Give an e-mail address, such as ada@example.com.',
    date: 'Complete the date, or empty the field.',
    /** The bounds of a number as texts; undefined for none. */
    number: ({
      min,
      max,
      isWhole,
      isRequired,
    }: {
      readonly min: string | undefined
      readonly max: string | undefined
      readonly isWhole: boolean
      readonly isRequired: boolean
    }) => {
      const lower = min === undefined ? '' : max === undefined ? ` of at least ${min}` : ` from ${min}`
      const upper = max === undefined ? '' : min === undefined ? ` of at most ${max}` : ` to ${max}`
      return `Enter a ${isWhole ? 'whole ' : ''}number${lower}${upper}${isRequired ? '' : ', or leave it empty'}.`
    },
  },
  de: {
    missing: 'Fülle dieses Feld aus.',
    notChosen: 'Wähle etwas aus.',
    email: 'Gib eine E-Mail-Adresse an, zum Beispiel ada@example.com.',
    date: 'Vervollständige das Datum oder leere das Feld.',
    number: ({ min, max, isWhole, isRequired }) => {
      const lower = min === undefined ? '' : max === undefined ? ` ab ${min}` : ` von ${min}`
      const upper = max === undefined ? '' : min === undefined ? ` von höchstens ${max}` : ` bis ${max}`
      return `Gib eine ${isWhole ? 'ganze ' : ''}Zahl${lower}${upper} ein${isRequired ? '' : ' oder lass das Feld leer'}.`
    },
  },
})

/** @returns what a field lacks, once the user has tried to send the form; undefined if it lacks nothing */
export function useFieldProblem(
  field: { readonly isRequired: boolean | undefined; readonly isEmpty: boolean },
  kind: 'text' | 'choice',
): string | undefined {
  const texts = useTexts(FIELD_TEXTS)
  const isTried = useContext(IsTried)
  if (isTried !== true || field.isRequired !== true || !field.isEmpty) return undefined
  return kind === 'choice' ? texts.notChosen : texts.missing
}

/** @returns a sentence if the text is no address, once the user has tried to send the form */
export function useEmailProblem(email: string, isEmail: boolean): string | undefined {
  const texts = useTexts(FIELD_TEXTS)
  const isTried = useContext(IsTried)
  return isTried === true && isEmail && email.trim() !== '' && !/^\s*\S+@\S+\s*$/.test(email) ? texts.email : undefined
}

interface NumberRules {
  readonly min: number | undefined
  readonly max: number | undefined
  readonly isWhole: boolean
  readonly isRequired: boolean
}

/** True if a field takes a text: a number within its bounds, or nothing. */
export function isNumberTaken(text: string, { min, max, isWhole }: NumberRules): boolean {
  if (text.trim() === '') return true
  const value = parseNumber(text)
  // Comparisons with NaN are false.
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity) && (!isWhole || Number.isSafeInteger(value))
}

/** The number of a text with a comma or a point; NaN for any other text. */
export function parseNumber(text: string): number {
  const plain = text.trim().replace(',', '.')
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN
}

interface NumberProblem {
  /** The sentence with the bounds; undefined as long as the text may still become a number within them. */
  readonly problem: string | undefined
  /** True if the form must not be sent. */
  readonly isWrong: boolean
}

/** Finds a number that its field does not take. @param isLeft true once the user has left the field */
export function useNumberProblem(text: string, rules: NumberRules, isLeft: boolean): NumberProblem {
  const texts = useTexts(FIELD_TEXTS)
  const { number } = useFormat()
  const isTried = useContext(IsTried)
  if (isNumberTaken(text, rules)) return { problem: undefined, isWrong: false }
  const { min, max, isWhole, isRequired } = rules
  const value = parseNumber(text)
  // More digits make neither of these right.
  const isHopeless = value > (max ?? Infinity) || value < Math.min(min ?? -Infinity, 1)
  if (!isHopeless && !(isTried ?? isLeft)) return { problem: undefined, isWrong: true }
  const shown = (bound: number | undefined): string | undefined => (bound === undefined ? undefined : number(bound, 3))
  return { problem: texts.number({ min: shown(min), max: shown(max), isWhole, isRequired }), isWrong: true }
}

interface DateInput {
  readonly problem: string | undefined
  /** For the input: its value is empty as long as a date is incomplete. */
  readonly events: {
    readonly onKeyUp?: (event: KeyboardEvent<HTMLInputElement>) => void
    readonly onBlur?: (event: FocusEvent<HTMLInputElement>) => void
  }
}

/** Finds a date of which a part is missing. Without it, such a date would count as none. */
export function useDateInput(value: string, isDate: boolean): DateInput {
  const texts = useTexts(FIELD_TEXTS)
  const isTried = useContext(IsTried)
  const [state, setState] = useState<'whole' | 'typing' | 'left'>('whole')
  if (!isDate) return { problem: undefined, events: {} }
  return {
    // A sentence that comes when the field loses the focus would move the button that the user is pressing.
    problem: (isTried ?? state === 'left') && state !== 'whole' && value === '' ? texts.date : undefined,
    events: {
      onKeyUp: ({ currentTarget: { validity } }) => {
        setState((present) => (!validity.badInput ? 'whole' : present === 'left' ? present : 'typing'))
      },
      onBlur: ({ currentTarget: { validity } }) => setState(validity.badInput ? 'left' : 'whole'),
    },
  }
}
