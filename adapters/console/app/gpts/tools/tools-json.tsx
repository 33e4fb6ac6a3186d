import { type ReactElement, useState } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { CopyButton } from '../../ui/copy-button.js'
import { TextField } from '../../ui/form/fields.js'
import { type FieldErrors, useProblemText } from '../check-gpt.js'
import type { ToolsOfDraft } from '../edit/gpt-draft.js'
import { readTools, toToolsJson } from './tool-draft.js'

const TEXTS = phrases({
  en: {
    label: 'Tools as JSON',
    hint: 'The list as the server stores it. You can paste one here; the form then shows it.',
    copy: 'Copy the JSON',
  },
  de: {
    label: 'Werkzeuge als JSON',
    hint: 'Die Liste, wie sie der Server speichert. Du kannst hier eine einfügen; das Formular zeigt sie dann.',
    copy: 'JSON kopieren',
  },
})

interface ToolsJsonProps {
  readonly value: ToolsOfDraft
  readonly onChange: (value: ToolsOfDraft) => void
  readonly errors: FieldErrors
}

/** The JSON of the tools, to look at and to paste. */
export function ToolsJson({ value, onChange, errors }: ToolsJsonProps): ReactElement {
  const texts = useTexts(TEXTS)
  const problemText = useProblemText()
  const [text, setText] = useState(() => value.brokenToolsJson ?? toToolsJson(value.tools))
  const change = (json: string): void => {
    setText(json)
    const read = readTools(json)
    onChange('tools' in read ? { tools: read.tools, brokenToolsJson: undefined } : { ...value, brokenToolsJson: json })
  }
  const read = value.brokenToolsJson === undefined ? undefined : readTools(value.brokenToolsJson)
  const problem = read !== undefined && 'problem' in read ? problemText(read.problem) : undefined
  // The fields of the form are not in view: their errors are here.
  const others = Object.entries(errors)
    .filter(([field]) => field.startsWith('toolsJson'))
    .map(([field, error]) => `${field.slice('toolsJson'.length)} ${error}`.trim())
  return (
    <>
      <TextField
        label={texts.label}
        hint={texts.hint}
        rows={16}
        value={text}
        onChange={change}
        error={problem ?? (others.length > 0 ? others.join(' ') : undefined)}
      />
      <CopyButton text={text} label={texts.copy} />
    </>
  )
}
