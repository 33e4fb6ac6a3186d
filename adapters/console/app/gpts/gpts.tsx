import type { ReactElement } from 'react'
import { Route, Switch } from 'wouter'
import { useLogin } from '../login/use-login.js'
import { phrases, useTexts } from '../texts/phrases.js'
import { ButtonLink } from '../ui/buttons.js'
import { EmptyState } from '../ui/notes.js'
import { PageHead } from '../ui/page-head.js'
import { NewGpt } from './edit/new-gpt.js'
import { GptList } from './gpt-list.js'
import { GptPage } from './gpt-page.js'
import './gpts.css'

const TEXTS = phrases({
  en: { title: 'There is no such GPT', text: 'The address may be misspelt.', back: 'All GPTs' },
  de: { title: 'Dieses GPT gibt es nicht', text: 'Die Adresse ist falsch geschrieben.', back: 'Alle GPTs' },
})

/** The section "My GPTs": contexts with their texts, tools, sharing and settings. */
export default function Gpts(): ReactElement {
  const { can } = useLogin()
  return (
    <Switch>
      <Route path="/gpts" component={GptList} />
      {can('context:write') && <Route path="/gpts/new" component={NewGpt} />}
      <Route path="/gpts/:id/*?">
        {({ id }) => (/^[1-9]\d{0,14}$/.test(id) ? <GptPage key={id} contextId={Number(id)} /> : <NoSuchGpt />)}
      </Route>
    </Switch>
  )
}

function NoSuchGpt(): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <>
      <PageHead title={texts.title} />
      <EmptyState title={texts.title} action={<ButtonLink href="/gpts">{texts.back}</ButtonLink>}>
        {texts.text}
      </EmptyState>
    </>
  )
}
