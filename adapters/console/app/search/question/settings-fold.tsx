import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Fold } from '../fold.js'
import { hasWrongSettings, type SearchState } from '../search-state.js'
import { TEXTS } from '../texts.js'
import { defaultsOf, SettingsFields } from './settings-fields.js'
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
