import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { NumberField, Select } from '../../ui/form/fields.js'
import { Fold } from '../fold.js'
import {
  hasWrongSettings,
  MAX_TOP_N,
  SEARCH_MODES,
  type SearchMode,
  type SearchSettings,
  type SearchState,
} from '../search-state.js'
import { type ColumnName, TEXTS } from '../texts.js'
import type { ChosenContext } from './use-contexts.js'

interface SettingsFoldProps {
  readonly draft: SearchState
  readonly chosen: readonly ChosenContext[]
  readonly onChange: (draft: SearchState) => void
}

/** The settings of the search, and of a second one beside it. Its line tells those that count. */
export function SettingsFold({ draft, chosen, onChange }: SettingsFoldProps): ReactElement {
  const texts = useTexts(TEXTS)
  const { number } = useFormat()
  const { settings, other } = draft
  const defaults = defaultsOf(chosen)
  const shown = (value: number | undefined): string | undefined => (value === undefined ? undefined : number(value, 3))
  const mode = settings.mode ?? defaults.mode
  const summary = texts.summary(
    mode && texts.modes[mode],
    shown(settings.topN ?? defaults.topN),
    shown(settings.threshold ?? defaults.threshold),
  )
  const isChanged = other !== undefined || Object.values(settings).some((value) => value !== undefined)
  return (
    <Fold
      // It opens for the settings of a comparison.
      key={other === undefined ? 'one' : 'two'}
      title={summary}
      isOpenAtFirst={isChanged}
      mustBeOpen={hasWrongSettings(draft)}
    >
      <div className="columns">
        <SettingsFields
          column={other === undefined ? undefined : 'A'}
          chosen={chosen}
          settings={settings}
          onChange={(changed) => onChange({ ...draft, settings: changed })}
        />
        {other !== undefined && (
          <SettingsFields
            column="B"
            chosen={chosen}
            settings={other}
            onChange={(changed) => onChange({ ...draft, other: changed })}
          />
        )}
      </div>
    </Fold>
  )
}

interface SettingsFieldsProps {
  /** Undefined if there is one column only. */
  readonly column: ColumnName | undefined
  readonly chosen: readonly ChosenContext[]
  readonly settings: SearchSettings
  readonly onChange: (settings: SearchSettings) => void
}

/** Mode, number of hits and threshold of one search. An empty field shows the setting of the context. */
function SettingsFields({ column, chosen, settings, onChange }: SettingsFieldsProps): ReactElement {
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
function defaultsOf(chosen: readonly ChosenContext[]): SearchSettings {
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
