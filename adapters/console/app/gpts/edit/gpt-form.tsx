import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useFieldError } from '../../api/field-errors.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote, Note } from '../../ui/notes.js'
import { type FieldErrors, useCheckGpt } from '../check-gpt.js'
import { ToolsEditor } from '../tools/tools-editor.js'
import type { Gpt } from '../use-gpts.js'
import {
  draftOf,
  fieldsOf,
  GptConflict,
  type GptDraft,
  type GptPart,
  keepDraft,
  useGptDraft,
  withParts,
} from './gpt-draft.js'
import { StarterPrompts } from './starter-prompts.js'

const TEXTS = phrases({
  en: {
    name: 'Name',
    nameHint: 'Users choose the GPT by it.',
    caption: 'Caption',
    captionHint: 'One line about what it is good for.',
    description: 'Instructions',
    descriptionHint:
      'Tell the model in your own words how to behave: its task, its tone, what to do when the documents have no answer.',
    unsaved: 'You have unsaved changes.',
    wrong: 'Some fields need a change before this can be saved. See the sentences at the fields.',
    restored: 'These are your changes from before. They are not saved yet.',
    discard: 'Discard the changes',
  },
  de: {
    name: 'Name',
    nameHint: 'Daran erkennen Benutzer das GPT.',
    caption: 'Untertitel',
    captionHint: 'Eine Zeile darüber, wofür es gut ist.',
    description: 'Anweisungen',
    descriptionHint:
      'Sag dem Modell in eigenen Worten, wie es sich verhalten soll: Aufgabe, Ton, und was es tut, wenn die Dokumente keine Antwort haben.',
    unsaved: 'Du hast Änderungen, die nicht gespeichert sind.',
    wrong: 'Noch ist nichts gespeichert: Einige Felder brauchen eine Änderung. Die Hinweise stehen an den Feldern.',
    restored: 'Das sind deine Änderungen von vorhin. Sie sind noch nicht gespeichert.',
    discard: 'Änderungen verwerfen',
  },
})

interface GptFormProps {
  /** The values on the server. */
  readonly stored: GptDraft
  /** Names the draft of this user: it comes back if the login ends before it is saved. */
  readonly draftKey: string
  readonly isNew?: boolean
  /** The text of the button. */
  readonly action: string
  /** @param base what the server had when the draft began */
  readonly save: (draft: GptDraft, base: GptDraft) => Promise<Gpt>
  readonly onSaved: (gpt: Gpt) => void
}

/** The texts, starter prompts and tools of a context. */
export function GptForm({ stored, draftKey, isNew = false, action, save, onSaved }: GptFormProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { number } = useFormat()
  const check = useCheckGpt(number)
  const { draft, base, isChanged, isRestored, edit, rebase, discard } = useGptDraft(draftKey, stored)
  const [conflict, setConflict] = useState<GptConflict>()
  const [hasTried, setTried] = useState(false)
  const [conflicts, setConflicts] = useState(0)
  const release = useUnsaved(isChanged, () => keepDraft(draftKey, undefined))
  const saving = useMutation({
    mutationFn: async (sent: Parameters<typeof save>) => await save(...sent),
    onSuccess: (gpt, [sent]) => {
      release()
      keepDraft(draftKey, undefined)
      rebase(draftOf(gpt), sent)
      setConflict(undefined)
      setTried(false)
      onSaved(gpt)
    },
    onError: (error, [, since]) => {
      if (!(error instanceof GptConflict)) return
      setConflicts((count) => count + 1)
      rebase(error.newest, since)
      setConflict(error)
    },
  })
  // Two fields can change in one moment: a number changes when its field loses the focus to a box that is ticked.
  const update = (changed: (present: GptDraft) => Partial<GptDraft>): void => {
    saving.reset()
    edit(changed)
  }
  const change = (changes: Partial<GptDraft>): void => update(() => changes)
  const submit = (): void => {
    if (Object.keys(check(draft)).length === 0) saving.mutate([draft, base])
  }
  const refused = useFieldError()(saving.error, fieldsOf(draft))
  const found = hasTried ? check(draft) : {}
  const errors: FieldErrors = refused === undefined ? found : { [refused.field]: refused.text, ...found }
  const hasErrors = Object.keys(errors).length > 0
  return (
    <Form onTry={() => setTried(true)} onSubmit={submit}>
      {isRestored && isChanged && (
        <Note>
          <p>{texts.restored}</p>
          <Button onPress={discard}>{texts.discard}</Button>
        </Note>
      )}
      {conflict !== undefined && (
        <ConflictNote
          key={conflicts}
          parts={conflict.parts}
          onTake={() => {
            update((present) => withParts(present, conflict.parts, conflict.newest))
            setConflict(undefined)
          }}
        />
      )}
      <section className="panel">
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={draft.name}
          onChange={(name) => change({ name })}
          error={errors['name']}
          isRequired
        />
        <TextField
          label={texts.caption}
          hint={texts.captionHint}
          value={draft.caption}
          onChange={(caption) => change({ caption })}
          error={errors['caption']}
        />
        <TextField
          label={texts.description}
          hint={texts.descriptionHint}
          rows={8}
          value={draft.description}
          onChange={(description) => change({ description })}
          error={errors['description']}
        />
      </section>
      <StarterPrompts
        prompts={draft.prompts}
        onChange={(prompts) => change({ prompts })}
        errors={errors}
        isNew={isNew}
      />
      <ToolsEditor value={draft} onChange={update} errors={errors} />
      {hasErrors ? (
        <p role="alert" className="note note-error">
          {texts.wrong}
        </p>
      ) : (
        <ErrorNote error={saving.error instanceof GptConflict ? null : saving.error} />
      )}
      <div className="gpts-save">
        <Button type="submit" kind="primary" isPending={saving.isPending}>
          {action}
        </Button>
        <span role="status" className="soft">
          {isChanged ? texts.unsaved : ''}
        </span>
      </div>
    </Form>
  )
}

const CONFLICT_NOTE_TEXTS = phrases({
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
function ConflictNote({ parts, onTake }: ConflictNoteProps): ReactElement {
  const texts = useTexts(CONFLICT_NOTE_TEXTS)
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
