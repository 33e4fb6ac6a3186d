import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { Loaded, Note } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'
import { HandOver } from './hand-over.js'
import { Reindexing } from './reindexing.js'
import { SETTING_NAMES, type Settings, useSettings } from './settings-draft.js'
import { SettingsForm } from './settings-form.js'
import { SETTINGS_TEXTS } from './settings-texts.js'
import { Sharing } from './sharing.js'

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

/** The settings of a context for somebody who may not change them. */
function SettingsView({ settings }: { readonly settings: Settings }): ReactElement {
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

const DELETE_GPT_TEXTS = phrases({
  en: {
    title: 'Delete',
    text: 'Removes the GPT with everything that belongs to it.',
    button: 'Delete this GPT …',
    ask: (name: string) => `Delete "${name}"?`,
    lost: 'Its instructions, starter prompts, tools and settings are lost, and all its documents with what a search finds in them. Nobody can bring them back.',
    lostShared: 'It is shared: the other users of the account lose it too.',
    action: 'Delete for good',
    deleted: (name: string) => `"${name}" is deleted.`,
  },
  de: {
    title: 'Löschen',
    text: 'Löscht das GPT mit allem, was dazugehört.',
    button: 'Dieses GPT löschen …',
    ask: (name) => `„${name}“ löschen?`,
    lost: 'Anweisungen, Startfragen, Werkzeuge und Einstellungen gehen verloren, und alle Dokumente mit allem, was eine Suche darin findet. Niemand kann sie zurückholen.',
    lostShared: 'Es ist geteilt: Auch die anderen Benutzer des Kontos verlieren es.',
    action: 'Endgültig löschen',
    deleted: (name) => `„${name}“ ist gelöscht.`,
  },
})

/** Deletes a context, after a question that says what is lost. */
function DeleteGpt({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(DELETE_GPT_TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    await dataOf(api.DELETE('/context/{contextId}', { params: { path: { contextId: gpt.id } } }))
    toast({ text: texts.deleted(gpt.name) })
    navigate('/gpts')
    queries.removeQueries({ queryKey: [...GPTS, 'list'] })
  }
  return (
    <section className="panel" aria-labelledby="delete-title">
      <h2 id="delete-title">{texts.title}</h2>
      <p>{texts.text}</p>
      <Button kind="danger" onPress={() => setAsking(true)}>
        {texts.button}
      </Button>
      <ConfirmDialog
        title={texts.ask(gpt.name)}
        action={texts.action}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove}
      >
        <p>{texts.lost}</p>
        {gpt.shareState === 1 && <p>{texts.lostShared}</p>}
      </ConfirmDialog>
    </section>
  )
}
