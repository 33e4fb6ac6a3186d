import { type ReactElement, useState } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { TextField } from '../../ui/form/fields.js'
import { Tabs } from '../../ui/tabs.js'
import { type FieldErrors, useProblemText } from '../check-gpt.js'
import type { ToolsOfDraft } from '../edit/gpt-draft.js'
import { useFocusNext } from '../use-focus-next.js'
import { newTool, readTools, type ToolDraft, toToolsJson } from './tool-draft.js'
import { ToolFields } from './tool-fields.js'

const TEXTS = phrases({
  en: {
    title: 'Tools',
    intro: 'A tool lets the model run an agent of your agent platform. Your application runs it; the GPT describes it.',
    none: 'This GPT has no tools. It needs none to answer from its documents.',
    form: 'Form',
    add: 'Add a tool',
  },
  de: {
    title: 'Werkzeuge',
    intro:
      'Mit einem Werkzeug lässt das Modell einen Agenten deiner Agentenplattform laufen. Deine Anwendung führt ihn aus, das GPT beschreibt ihn.',
    none: 'Dieses GPT hat keine Werkzeuge. Um aus seinen Dokumenten zu antworten, braucht es keine.',
    form: 'Formular',
    add: 'Werkzeug hinzufügen',
  },
})

interface ToolsEditorProps {
  readonly value: ToolsOfDraft
  readonly onChange: (update: (present: ToolsOfDraft) => ToolsOfDraft) => void
  readonly errors: FieldErrors
}

/** The tools of a context, as a form or as their JSON. */
export function ToolsEditor({ value, onChange, errors }: ToolsEditorProps): ReactElement {
  const texts = useTexts(TEXTS)
  const focusNext = useFocusNext()
  const [view, setView] = useState(value.brokenToolsJson === undefined ? 'form' : 'json')
  const { tools } = value
  const setTools = (update: (present: readonly ToolDraft[]) => readonly ToolDraft[]): void =>
    onChange((present) => ({ tools: update(present.tools), brokenToolsJson: undefined }))
  const add = (): void => {
    const tool = newTool(tools)
    setTools((present) => [...present, tool])
    focusNext(`${tool.key}-name`)
  }
  const remove = (key: string): void => {
    setTools((present) => present.filter((each) => each.key !== key))
    focusNext('add-tool')
  }
  const form = (
    <>
      {tools.length === 0 && <p className="soft">{texts.none}</p>}
      {tools.map((tool, index) => (
        <ToolFields
          key={tool.key}
          tool={tool}
          index={index}
          errors={errors}
          onChange={(update) =>
            setTools((present) => present.map((each) => (each.key === tool.key ? update(each) : each)))
          }
          onRemove={() => remove(tool.key)}
        />
      ))}
      <Button id="add-tool" onPress={add}>
        {texts.add}
      </Button>
    </>
  )
  return (
    <section className="panel" aria-labelledby="tools-title">
      <h2 id="tools-title">{texts.title}</h2>
      <p className="hint">{texts.intro}</p>
      <Tabs
        label={texts.title}
        selected={view}
        // Text that makes no tools stays in view: the form could not show it.
        onSelect={(id) => setView(value.brokenToolsJson === undefined ? id : 'json')}
        tabs={[
          { id: 'form', title: texts.form, content: form },
          {
            id: 'json',
            title: 'JSON',
            content: <ToolsJson value={value} onChange={(changed) => onChange(() => changed)} errors={errors} />,
          },
        ]}
      />
    </section>
  )
}

const TOOLS_JSON_TEXTS = phrases({
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
function ToolsJson({ value, onChange, errors }: ToolsJsonProps): ReactElement {
  const texts = useTexts(TOOLS_JSON_TEXTS)
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
