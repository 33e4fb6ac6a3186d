import type { ReactElement } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Loaded, Note } from '../../ui/notes.js'
import type { Gpt } from '../use-gpts.js'
import { DeleteGpt } from './delete-gpt.js'
import { HandOver } from './hand-over.js'
import { Reindexing } from './reindexing.js'
import { SettingsForm } from './settings-form.js'
import { SettingsView } from './settings-view.js'
import { Sharing } from './sharing.js'
import { useSettings } from './use-settings.js'

const TEXTS = phrases({
  en: { readOnly: 'You may look at the settings, but not change them.' },
  de: { readOnly: 'Du darfst die Einstellungen ansehen, aber nicht ändern.' },
})

/** Sharing, settings, owner and deletion of a context. */
export function SettingsPage({ gpt, mayChange }: { readonly gpt: Gpt; readonly mayChange: boolean }): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useSettings(gpt.id)
  return (
    <>
      {mayChange ? <Sharing gpt={gpt} /> : <Note>{texts.readOnly}</Note>}
      <Loaded query={query}>
        {(settings) => (
          <>
            <Reindexing contextId={gpt.id} settings={settings} mayChange={mayChange} />
            {mayChange ? <SettingsForm contextId={gpt.id} settings={settings} /> : <SettingsView settings={settings} />}
          </>
        )}
      </Loaded>
      {mayChange && (
        <>
          <HandOver gpt={gpt} />
          <DeleteGpt gpt={gpt} />
        </>
      )}
    </>
  )
}
