import { type ReactElement, useEffect, useRef } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import type { GptPart } from './gpt-draft.js'

const TEXTS = phrases({
  en: {
    parts: {
      name: 'Name',
      caption: 'Caption',
      description: 'Instructions',
      starterPrompts: 'Starter prompts',
      toolsJson: 'Tools',
    },
    changed: (parts: string) => `Nothing is saved yet: somebody else has changed this too since you began: ${parts}.`,
    choose: 'Save once more to put yours in place of the other change, or take the other one.',
    take: 'Take the other change',
  },
  de: {
    parts: {
      name: 'Name',
      caption: 'Untertitel',
      description: 'Anweisungen',
      starterPrompts: 'Startfragen',
      toolsJson: 'Werkzeuge',
    },
    changed: (parts) => `Noch ist nichts gespeichert: Jemand anderes hat das seitdem auch geändert: ${parts}.`,
    choose: 'Speichere noch einmal, damit deine Änderung die andere ersetzt, oder übernimm die andere.',
    take: 'Die andere Änderung übernehmen',
  },
})

interface ConflictNoteProps {
  readonly parts: readonly GptPart[]
  readonly onTake: () => void
}

/** Says which parts of a GPT two users have changed at the same time. */
export function ConflictNote({ parts, onTake }: ConflictNoteProps): ReactElement {
  const texts = useTexts(TEXTS)
  const note = useRef<HTMLDivElement>(null)
  // The form is long: the button that saves is far from its top.
  useEffect(() => {
    note.current?.focus()
  }, [])
  return (
    <div ref={note} tabIndex={-1} role="alert" className="note note-warning">
      <p>{texts.changed(parts.map((part) => texts.parts[part]).join(', '))}</p>
      <p>{texts.choose}</p>
      <Button onPress={onTake}>{texts.take}</Button>
    </div>
  )
}
