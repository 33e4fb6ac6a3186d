import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { NumberField, Select } from '../../ui/form/fields.js'
import { MAX_TOP_N, SEARCH_MODES, type SearchMode, type SearchSettings } from '../search-state.js'
import { type ColumnName, TEXTS } from '../texts.js'
import type { ChosenContext } from './use-contexts.js'

interface SettingsFieldsProps {
  /** Undefined if there is one column only. */
  readonly column: ColumnName | undefined
  readonly chosen: readonly ChosenContext[]
  readonly settings: SearchSettings
  readonly onChange: (settings: SearchSettings) => void
}

/** Mode, number of hits and threshold of one search. An empty field shows the setting of the context. */
export function SettingsFields({ column, chosen, settings, onChange }: SettingsFieldsProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { number } = useFormat()
  const { mode, topN, threshold } = defaultsOf(chosen)
  const shown = (value: number | undefined): string | undefined => (value === undefined ? undefined : number(value, 3))
  return (
    <fieldset className="search-settings">
      <legend>{texts.settings(column)}</legend>
      <Select<SearchMode | 'default'>
        label={texts.mode}
        value={settings.mode ?? 'default'}
        onChange={(chosenMode) => onChange({ ...settings, mode: chosenMode === 'default' ? undefined : chosenMode })}
        choices={[
          { value: 'default', label: texts.defaultMode(mode && texts.modes[mode]) },
          ...SEARCH_MODES.map((value) => ({ value, label: texts.modes[value], hint: texts.modeHints[value] })),
        ]}
      />
      <NumberField
        label={texts.topN}
        hint={texts.empty(shown(topN))}
        value={settings.topN ?? Number.NaN}
        onChange={(value) => onChange({ ...settings, topN: Number.isNaN(value) ? undefined : value })}
        minValue={1}
        maxValue={MAX_TOP_N}
        step={1}
      />
      <NumberField
        label={texts.threshold}
        hint={`${texts.empty(shown(threshold))} ${texts.thresholdHint}`}
        value={settings.threshold ?? Number.NaN}
        onChange={(value) => onChange({ ...settings, threshold: Number.isNaN(value) ? undefined : value })}
        minValue={0}
        maxValue={1}
        step={0.001}
      />
    </fieldset>
  )
}

/** @returns the settings of the chosen contexts; undefined where they differ, and before they are loaded */
export function defaultsOf(chosen: readonly ChosenContext[]): SearchSettings {
  const defaults = chosen.flatMap(({ settings }) => settings ?? [])
  return {
    mode: common(defaults.map(({ searchMode }) => searchMode)),
    // A search of several contexts takes the largest.
    topN: defaults.length === 0 ? undefined : Math.max(...defaults.map(({ topN }) => topN)),
    threshold: common(defaults.map(({ scoreThreshold }) => scoreThreshold)),
  }
}

/** @returns the value that all have; undefined if they differ, and without any */
function common<Value>(values: readonly Value[]): Value | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined
}
