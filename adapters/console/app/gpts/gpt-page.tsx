import { lazy, type ReactElement, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { AlcoveApiError } from '../api/api.js'
import { useLogin } from '../login/use-login.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { ButtonLink } from '../ui/buttons.js'
import { EmptyState, Loaded, Loading, Note } from '../ui/notes.js'
import { BackLink, PageHead } from '../ui/page-head.js'
import { LinkTabs } from '../ui/tabs.js'
import { EditGpt } from './edit/new-gpt.js'
import { LanguageNote } from './language-note.js'
import { SettingsPage } from './settings/settings-page.js'
import { SharedBadge } from './shared-badge.js'
import { readTools } from './tools/tool-draft.js'
import { type Gpt, useGpt, useMayChange } from './use-gpts.js'

// The documents are a section of their own.
const Documents = lazy(async () => await import('../documents/documents.js'))

const TEXTS = phrases({
  en: {
    parts: 'Parts of the GPT',
    all: 'All GPTs',
    documents: 'Documents',
    edit: 'Edit',
    view: 'Instructions',
    settings: 'Settings',
    search: 'Try a search',
    gone: 'There is no such GPT',
    goneText: 'It was deleted, it is private to another user, or it belongs to another account.',
    unknown: 'There is no such page',
    unknownText: 'The address may be misspelt. Choose one of the parts above.',
  },
  de: {
    parts: 'Teile des GPTs',
    all: 'Alle GPTs',
    documents: 'Dokumente',
    edit: 'Bearbeiten',
    view: 'Anweisungen',
    settings: 'Einstellungen',
    search: 'Suche ausprobieren',
    gone: 'Dieses GPT gibt es nicht',
    goneText: 'Es wurde gelöscht, ist privat oder gehört zu einem anderen Konto.',
    unknown: 'Diese Seite gibt es nicht',
    unknownText: 'Die Adresse ist falsch geschrieben. Wähle oben einen Teil.',
  },
})

/** The page of one context: its head, and its parts. */
export function GptPage({ contextId }: { readonly contextId: number }): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useGpt(contextId)
  if (query.error instanceof AlcoveApiError && query.error.status === 404) {
    return (
      <>
        <PageHead title={texts.gone} />
        <EmptyState title={texts.gone} action={<ButtonLink href="/gpts">{texts.all}</ButtonLink>}>
          {texts.goneText}
        </EmptyState>
      </>
    )
  }
  return <Loaded query={query}>{(gpt) => <Parts gpt={gpt} />}</Loaded>
}

function Parts({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const mayChange = useMayChange()(gpt)
  const [path] = useLocation()
  const parts = [
    ['documents', texts.documents],
    ['edit', mayChange ? texts.edit : texts.view],
    ['settings', texts.settings],
  ] as const
  return (
    <>
      <BackLink href="/gpts">{texts.all}</BackLink>
      <PageHead
        title={gpt.name}
        actions={can('search') && <ButtonLink href={`/search?context=${gpt.id}`}>{texts.search}</ButtonLink>}
      >
        {gpt.caption !== '' && <p className="gpts-caption">{gpt.caption}</p>}
        <SharedBadge gpt={gpt} />
      </PageHead>
      <LanguageNote contextId={gpt.id} />
      <LinkTabs
        label={texts.parts}
        tabs={parts.map(([part, title]) => {
          const href = `/gpts/${gpt.id}/${part}`
          return { href, title, isCurrent: path.startsWith(href) }
        })}
      />
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/gpts/:id">
            <Redirect to={`/gpts/${gpt.id}/documents`} replace />
          </Route>
          <Route path="/gpts/:id/documents/*?">
            <Documents context={gpt} mayChange={mayChange} />
          </Route>
          <Route path="/gpts/:id/edit">{mayChange ? <EditGpt gpt={gpt} /> : <GptView gpt={gpt} />}</Route>
          <Route path="/gpts/:id/settings">
            <SettingsPage gpt={gpt} mayChange={mayChange} />
          </Route>
          <Route>
            <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
          </Route>
        </Switch>
      </Suspense>
    </>
  )
}

const GPT_VIEW_TEXTS = phrases({
  en: {
    readOnly: 'You may look at this GPT, but not change it.',
    description: 'Instructions',
    prompts: 'Starter prompts',
    tools: 'Tools',
    none: 'None',
    agent: (id: number) => `Runs the agent ${id}.`,
  },
  de: {
    readOnly: 'Du darfst dieses GPT ansehen, aber nicht ändern.',
    description: 'Anweisungen',
    prompts: 'Startfragen',
    tools: 'Werkzeuge',
    none: 'Keine',
    agent: (id) => `Führt den Agenten ${id} aus.`,
  },
})

/** The texts of a context for somebody who may not change it. */
function GptView({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(GPT_VIEW_TEXTS)
  const read = readTools(gpt.toolsJson)
  const tools = 'tools' in read ? read.tools : []
  return (
    <>
      <Note>{texts.readOnly}</Note>
      <section className="panel">
        <h2>{texts.description}</h2>
        <p className="gpts-text">{gpt.description === '' ? texts.none : gpt.description}</p>
        <h2>{texts.prompts}</h2>
        {gpt.starterPrompts.length === 0 && <p>{texts.none}</p>}
        <ol>
          {gpt.starterPrompts.map((prompt, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two prompts may be the same, and none moves.
            <li key={index} className="gpts-text">
              {prompt}
            </li>
          ))}
        </ol>
        <h2>{texts.tools}</h2>
        {tools.length === 0 && <p>{texts.none}</p>}
        <ul>
          {tools.map(({ key, name, description, agentId }) => (
            <li key={key} className="gpts-text">
              <code>{name}</code> {description} {texts.agent(agentId)}
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}
