import { type FocusEvent, type KeyboardEvent, useContext, useState } from 'react'
import { type Texts, useTexts } from '../texts/language.js'
import { IsTried } from './form.js'

/** The sentences about what a field lacks. */
export const FIELD_TEXTS: Texts<{
  readonly missing: string
  readonly notChosen: string
  readonly email: string
  readonly date: string
}> = {
  en: {
    missing: 'Fill in this field.',
    notChosen: 'Choose one.',
    email: 'Give an e-mail address, such as ada@example.com.',
    date: 'Complete the date, or empty the field.',
  },
  de: {
    missing: 'Fülle dieses Feld aus.',
    notChosen: 'Wähle etwas aus.',
    email: 'Gib eine E-Mail-Adresse an, zum Beispiel ada@example.com.',
    date: 'Vervollständige das Datum oder leere das Feld.',
  },
}

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
