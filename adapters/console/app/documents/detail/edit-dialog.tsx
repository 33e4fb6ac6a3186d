import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLeave, useUnsaved } from '../../frame/guarded-router.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Dialog } from '../../ui/dialogs.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import type { Detailed, Metadata } from '../document.js'
import { valueText } from '../document.js'
import { TEXTS } from '../texts.js'
import { DETAIL_TEXTS } from './detail-texts.js'

interface EditDialogProps {
  readonly contextId: number
  readonly document: Detailed
  readonly onClose: () => void
}

/** Changes the name and the metadata of a document. It asks before it loses changes. */
export function EditDialog({ contextId, document, onClose }: EditDialogProps): ReactElement {
  // Changes of somebody else stay: only what differs from this is sent.
  const [{ id, displayName, metadata }] = useState(document)
  const api = useApi()
  const queries = useQueryClient()
  const texts = useTexts(DETAIL_TEXTS)
  const { name: nameLabel } = useTexts(TEXTS)
  const [name, setName] = useState(displayName)
  const [initial] = useState(() => toEdited(metadata))
  const [values, setValues] = useState(initial)
  useUnsaved(name !== displayName || JSON.stringify(values) !== JSON.stringify(initial))
  const leave = useLeave()
  const close = (): void => leave(onClose)
  const save = useMutation({
    mutationFn: async () => {
      const changed = { metadata: changesOf(metadata, values) }
      const body = name === displayName ? changed : { ...changed, displayName: name.trim() === '' ? null : name.trim() }
      const params = { path: { contextId, docId: id } }
      await dataOf(api.PATCH('/context/documents/{contextId}/{docId}', { params, body }))
      await queries.invalidateQueries({ queryKey: ['document', contextId, id] })
      void queries.invalidateQueries({ queryKey: ['documents', contextId] })
    },
    onSuccess: onClose,
  })
  const isWrong = values.some((value) => problemOf(value, values) !== undefined)
  return (
    <Dialog title={texts.edit} isOpen onClose={close} isWide>
      <Form
        onSubmit={() => {
          if (!isWrong) save.mutate()
        }}
      >
        <TextField label={nameLabel} hint={texts.nameHint} value={name} onChange={setName} maxLength={255} autoFocus />
        <MetadataFields values={values} onChange={setValues} />
        <ErrorNote error={save.error} />
        <div className="actions">
          <Button onPress={close}>{texts.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {texts.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

const KINDS: readonly Kind[] = ['text', 'number', 'yes', 'list']

/** Fields for values by key. */
function MetadataFields({
  values,
  onChange,
}: {
  readonly values: readonly EditedValue[]
  readonly onChange: (values: readonly EditedValue[]) => void
}): ReactElement {
  const texts = useTexts(DETAIL_TEXTS)
  const { metadata } = useTexts(TEXTS)
  const change = (field: number, changed: Partial<EditedValue>): void =>
    onChange(values.map((value) => (value.field === field ? { ...value, ...changed } : value)))
  const add = (): void => {
    const field = Math.max(-1, ...values.map((value) => value.field)) + 1
    onChange([...values, { field, key: '', kind: 'text', text: '' }])
  }
  return (
    <fieldset className="docs-values">
      <legend>{metadata}</legend>
      <p className="hint">{texts.metadataHint}</p>
      {values.map((value) => {
        const { field, key, kind, text } = value
        const problem = problemOf(value, values)
        return (
          <div key={field} className="docs-value">
            <TextField
              label={texts.key}
              value={key}
              onChange={(changed) => change(field, { key: changed })}
              maxLength={100}
              error={problem === 'sameKey' || problem === 'noKey' ? texts[problem] : undefined}
            />
            <Select
              label={texts.kind}
              choices={KINDS.map((choice) => ({ value: choice, label: texts.kinds[choice] }))}
              value={kind}
              onChange={(changed) => change(field, { kind: changed })}
            />
            <TextField
              label={texts.value}
              value={text}
              onChange={(changed) => change(field, { text: changed })}
              hint={kind === 'list' ? texts.listHint : kind === 'yes' ? texts.yesHint : undefined}
              error={problem === 'notNumber' || problem === 'notYes' ? texts[problem] : undefined}
            />
            <Button
              kind="quiet"
              aria-label={texts.removeValue(key)}
              onPress={() => onChange(values.filter((other) => other.field !== field))}
            >
              ×
            </Button>
          </div>
        )
      })}
      <Button onPress={add}>{texts.addValue}</Button>
    </fieldset>
  )
}

type Kind = 'text' | 'number' | 'yes' | 'list'

/** A value as the fields of a dialog have it. */
interface EditedValue {
  /** Tells fields apart: two may have the same key for a while. */
  readonly field: number
  readonly key: string
  readonly kind: Kind
  readonly text: string
}

/** The name of a mistake in a value. */
type ValueProblem = 'notNumber' | 'notYes' | 'sameKey' | 'noKey'

type Value = Metadata[string]

function toEdited(metadata: Metadata): readonly EditedValue[] {
  return Object.entries(metadata).map(([key, value], field) => ({
    field,
    key,
    kind: kindOf(value),
    text: valueText(value),
  }))
}

function problemOf(value: EditedValue, all: readonly EditedValue[]): ValueProblem | undefined {
  const { key, kind, text, field } = value
  if (key === '') return text === '' ? undefined : 'noKey'
  if (all.some((other) => other.field < field && other.key === key)) return 'sameKey'
  if (kind === 'number' && (text.trim() === '' || !Number.isFinite(Number(text)))) return 'notNumber'
  return kind === 'yes' && !['true', 'false'].includes(text.trim()) ? 'notYes' : undefined
}

/** The changes that make the metadata what the fields say: null removes a key. Fields without a key are left out. */
function changesOf(before: Metadata, edited: readonly EditedValue[]): Record<string, Value | null> {
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
