import { type ReactElement, useState } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useFieldError } from '../../api/field-errors.js'
import { useInstallation } from '../../api/use-installation.js'
import { useUnsaved } from '../../frame/guarded-router.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { Checkbox, Choices, NumberField, Select, TextField } from '../../ui/form/fields.js'
import { Form } from '../../ui/form/form.js'
import { ErrorNote } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import {
  changedIn,
  type NumberSetting,
  SETTING_NAMES,
  type Settings,
  type SettingsChanges,
  startsReindex,
  useChangeSettings,
  wantedOf,
  wrongIn,
} from './settings-draft.js'
import { SETTINGS_TEXTS } from './settings-texts.js'

const TEXTS = phrases({
  en: {
    save: 'Save the settings',
    saved: 'The settings are saved.',
    unsaved: 'You have unsaved changes.',
    unchanged: 'Nothing is changed.',
    wrong: 'This value is not allowed. The hint at the field says which are.',
    reindex: 'Prepare all documents again?',
    reindexText:
      'Every document of this GPT is cut and embedded again with the new settings. That can take long, and until the end the disk needs room for both.',
    reindexStays: 'Searches go on with the present settings. At the end, all documents change at once.',
    start: 'Save and prepare again',
  },
  de: {
    save: 'Einstellungen speichern',
    saved: 'Die Einstellungen sind gespeichert.',
    unsaved: 'Du hast Änderungen, die nicht gespeichert sind.',
    unchanged: 'Es gibt nichts zu speichern.',
    wrong: 'Dieser Wert ist nicht erlaubt. Der Hinweis am Feld nennt die erlaubten Werte.',
    reindex: 'Alle Dokumente neu aufbereiten?',
    reindexText:
      'Jedes Dokument dieses GPTs wird mit den neuen Einstellungen neu in Abschnitte geteilt und eingebettet. Das kann lange dauern, und bis dahin braucht die Festplatte Platz für beides.',
    reindexStays: 'Suchen laufen mit den jetzigen Einstellungen weiter. Am Ende wechseln alle Dokumente auf einmal.',
    start: 'Speichern und neu aufbereiten',
  },
})

const BYTES_PER_MEGABYTE = 1_048_576
/** The units of the form: the server counts fractions and bytes. */
const UNITS: Readonly<Record<NumberSetting, number>> = {
  topN: 1,
  scoreThreshold: 1,
  chunkSizeTokens: 1,
  overlap: 1 / 100,
  maxSizeBytes: BYTES_PER_MEGABYTE,
}
/** Decimal places that remain: a hundredth of a percent is enough for fractions. */
const FRACTION_STEPS = 10_000

/** The others may have a fraction in the unit of the form. */
const WHOLE: ReadonlySet<NumberSetting> = new Set(['topN', 'chunkSizeTokens'])

interface SettingsFormProps {
  readonly contextId: number
  readonly settings: Settings
}

/** All settings of a context, each with what it means. */
export function SettingsForm({ contextId, settings }: SettingsFormProps): ReactElement {
  const texts = useTexts(TEXTS)
  const names = useTexts(SETTINGS_TEXTS)
  const api = useApi()
  const [draft, setDraft] = useState<SettingsChanges>({})
  const [status, setStatus] = useState('')
  const [hasTried, setTried] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const saving = useChangeSettings(contextId)
  const shown = { ...wantedOf(settings), ...draft }
  const changes = changedIn(draft, settings)
  const isChanged = Object.keys(changes).length > 0
  useUnsaved(isChanged)
  const change = (changed: SettingsChanges): void => {
    saving.reset()
    setStatus('')
    setDraft((present) => ({ ...present, ...changed }))
  }
  const save = async (): Promise<void> => {
    await saving.mutateAsync(changes).then(
      () => {
        setDraft({})
        setTried(false)
        toast({ text: texts.saved })
      },
      () => undefined,
    )
  }
  const hasDocuments = async (): Promise<boolean> => {
    const params = { path: { contextId }, query: { limit: 1 } }
    return (await dataOf(api.GET('/context/documents/{contextId}', { params }))).length > 0
  }
  const submit = async (): Promise<void> => {
    if (wrongIn(changes).size > 0) return
    if (!isChanged) setStatus(texts.unchanged)
    else if (startsReindex(changes) && (await hasDocuments().catch(() => true))) setAsking(true)
    else await save()
  }
  const refused = useFieldError()(saving.error, SETTING_NAMES)
  const wrong = hasTried ? wrongIn(changes) : new Set<string>()
  const errorOf = (name: (typeof SETTING_NAMES)[number]): string | undefined =>
    refused?.field === name ? refused.text : wrong.has(name) ? texts.wrong : undefined
  const numberField = (name: NumberSetting): ReactElement => (
    <NumberField
      label={names[name].name}
      hint={names[name].hint}
      value={inUnit(shown[name], UNITS[name])}
      onChange={(value) => change({ [name]: fromUnit(value, UNITS[name]) })}
      step={WHOLE.has(name) ? 1 : 1 / FRACTION_STEPS}
      error={errorOf(name)}
    />
  )
  return (
    <Form onTry={() => setTried(true)} onSubmit={() => void submit()}>
      <section className="panel">
        <h2>{names.ofSearch}</h2>
        <div className="columns">
          {numberField('topN')}
          {numberField('scoreThreshold')}
        </div>
        <Choices
          label={names.searchMode.name}
          value={shown.searchMode}
          onChange={(searchMode) => change({ searchMode })}
          choices={(['hybrid', 'semantic', 'keyword'] as const).map((mode) => ({
            value: mode,
            label: names.modes[mode].name,
            hint: names.modes[mode].hint,
          }))}
        />
        <Checkbox
          label={names.findsEarly.name}
          hint={names.findsEarly.hint}
          isSelected={shown.findsEarly}
          onChange={(findsEarly) => change({ findsEarly })}
        />
      </section>
      <section className="panel">
        <h2>{names.ofDocuments}</h2>
        <p className="hint">{names.ofDocumentsHint}</p>
        <ModelField
          value={shown.embeddingModel}
          onChange={(embeddingModel) => change({ embeddingModel })}
          error={errorOf('embeddingModel')}
        />
        <div className="columns">
          {numberField('chunkSizeTokens')}
          {numberField('overlap')}
          {numberField('maxSizeBytes')}
        </div>
      </section>
      {refused === undefined && <ErrorNote error={saving.error} />}
      <div className="gpts-save">
        <Button type="submit" kind="primary" isPending={saving.isPending}>
          {texts.save}
        </Button>
        <span role="status" className="soft">
          {isChanged ? texts.unsaved : status}
        </span>
      </div>
      <ConfirmDialog
        title={texts.reindex}
        action={texts.start}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        // Errors belong to the fields.
        onConfirm={save}
      >
        <p>{texts.reindexText}</p>
        <p>{texts.reindexStays}</p>
      </ConfirmDialog>
    </Form>
  )
}

function inUnit(value: number, unit: number): number {
  return Math.round((value / unit) * FRACTION_STEPS) / FRACTION_STEPS
}

function fromUnit(value: number, unit: number): number {
  return unit > 1 ? Math.round(value * unit) : Math.round(value * unit * FRACTION_STEPS) / FRACTION_STEPS
}

const MODEL_FIELD_TEXTS = phrases({
  en: {
    isDefault: 'The default of new GPTs.',
    local: 'Runs on this server.',
    remote: 'Runs on another server.',
    away: 'It does not answer now.',
    unknown: 'This server does not have it.',
  },
  de: {
    isDefault: 'Vorgabe für neue GPTs.',
    local: 'Läuft auf diesem Server.',
    remote: 'Läuft auf einem anderen Server.',
    away: 'Antwortet gerade nicht.',
    unknown: 'Dieser Server hat es nicht.',
  },
})

interface ModelFieldProps {
  readonly value: string
  readonly onChange: (model: string) => void
  readonly error: string | undefined
}

/** The embedding model: one that the server has, local or remote. Users who may not see the list write its name. */
function ModelField({ value, onChange, error }: ModelFieldProps): ReactElement {
  const { name, hint, choiceHint } = useTexts(SETTINGS_TEXTS).embeddingModel
  const texts = useTexts(MODEL_FIELD_TEXTS)
  const { can } = useLogin()
  const mayAsk = can('tenant:manage')
  const { data, isPending } = useInstallation(false, mayAsk)
  if (data == null && !(mayAsk && isPending)) {
    return <TextField label={name} hint={hint} value={value} onChange={onChange} error={error} />
  }
  const models = (data?.models ?? []).map(({ id, isDefault, kind, isAvailable }) => ({
    value: id,
    label: id,
    hint: [isDefault && texts.isDefault, texts[kind], !isAvailable && texts.away].filter(Boolean).join(' '),
  }))
  const isKnown = data == null || models.some((model) => model.value === value)
  const present = { value, label: value, hint: texts.unknown }
  return (
    <Select
      label={name}
      hint={choiceHint}
      choices={data == null ? [{ value, label: value }] : isKnown ? models : [present, ...models]}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
