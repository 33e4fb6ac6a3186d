import type { ReactElement } from 'react'
import { useInstallation } from '../../api/use-installation.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { SETTINGS_TEXTS } from './settings-texts.js'

const TEXTS = phrases({
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
export function ModelField({ value, onChange, error }: ModelFieldProps): ReactElement {
  const { name, hint, choiceHint } = useTexts(SETTINGS_TEXTS).embeddingModel
  const texts = useTexts(TEXTS)
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
