import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { SETTING_NAMES } from './settings-draft.js'
import { SETTINGS_TEXTS } from './settings-texts.js'
import type { Settings } from './use-settings.js'

/** The settings of a context for somebody who may not change them. */
export function SettingsView({ settings }: { readonly settings: Settings }): ReactElement {
  const texts = useTexts(SETTINGS_TEXTS)
  const { number, bytes, percent } = useFormat()
  const values: Readonly<Record<(typeof SETTING_NAMES)[number], string>> = {
    topN: number(settings.topN),
    scoreThreshold: number(settings.scoreThreshold, 3),
    searchMode: texts.modes[settings.searchMode].name,
    findsEarly: settings.findsEarly ? texts.on : texts.off,
    embeddingModel: settings.embeddingModel,
    chunkSizeTokens: number(settings.chunkSizeTokens),
    overlap: percent(settings.overlap),
    maxSizeBytes: bytes(settings.maxSizeBytes),
  }
  return (
    <section className="panel">
      <dl className="facts">
        {SETTING_NAMES.map((name) => (
          <div key={name} className="gpts-fact">
            <dt>{texts[name].name}</dt>
            <dd>
              {values[name]}
              <span className="hint">{texts[name].hint}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
