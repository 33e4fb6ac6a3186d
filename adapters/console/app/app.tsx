import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactElement, Suspense, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { AlcoveApiError, ApiProvider, createApi, dataOf, useApi } from './api/api.js'
import { ErrorBoundary } from './frame/error-boundary.js'
import { Frame, SECTIONS } from './frame/frame.js'
import { LoginPage } from './login/login-page.js'
import { type CurrentLogin, canOf, type Login, LoginProvider, useLogin } from './login/use-login.js'
import { type Texts, useTexts } from './texts/language.js'
import { EmptyState, Loaded } from './ui/notes.js'

// Each section is a file of its own, which the page loads when the user opens it.
const Gpts = lazy(async () => await import('./gpts/gpts.js'))
const Search = lazy(async () => await import('./search/search.js'))
const People = lazy(async () => await import('./people/people.js'))
const Webhooks = lazy(async () => await import('./webhooks/webhooks.js'))
const Operate = lazy(async () => await import('./operate/operate.js'))

const TEXTS: Texts<{
  readonly noRight: string
  readonly noRightText: string
  readonly unknown: string
  readonly unknownText: string
}> = {
  en: {
    noRight: 'You have no rights yet',
    noRightText: 'Somebody who manages users must give you a permission on an account. Then load this page again.',
    unknown: 'There is no such page',
    unknownText: 'The address may be misspelt, or you have no right to see the page. Choose a section above.',
  },
  de: {
    noRight: 'Du hast noch keine Rechte',
    noRightText: 'Jemand, der Benutzer verwaltet, muss dir ein Recht auf ein Konto geben. Lade diese Seite danach neu.',
    unknown: 'Diese Seite gibt es nicht',
    unknownText: 'Die Adresse ist falsch geschrieben, oder du darfst die Seite nicht sehen. Wähle oben einen Bereich.',
  },
}

const STORED_ACCOUNT = 'alcove.account'

/** What the page knows of its login: nothing yet, none, or one. */
type State = 'unknown' | 'none' | 'ended' | Login

export function App(): ReactElement {
  const [state, setState] = useState<State>('unknown')
  const [accountId, setAccountId] = useState(storedAccount)
  const login = typeof state === 'object' ? state : undefined
  const account =
    login?.accounts.find(({ id }) => id === accountId) ??
    login?.accounts.find(({ application }) => application === 'assistant') ??
    login?.accounts[0]
  const chooseAccount = (id: number): void => {
    localStorage.setItem(STORED_ACCOUNT, String(id))
    setAccountId(id)
  }
  const logOut = async (): Promise<void> => {
    await dataOf(createApi().DELETE('/auth/login'))
    setState('none')
  }
  const current: CurrentLogin | undefined = login && {
    login,
    account,
    chooseAccount,
    logOut,
    can: canOf(login, account),
  }
  return (
    <ApiProvider
      // Each login and each account has data of its own.
      key={`${login?.user.id ?? 'none'} ${login?.clientId ?? ''} ${account?.id ?? ''}`}
      accountId={account?.id}
      onLoggedOut={() => setState((before) => (typeof before === 'object' ? 'ended' : before))}
    >
      {current !== undefined ? (
        <LoginProvider current={current}>
          <Sections />
        </LoginProvider>
      ) : state === 'unknown' ? (
        <FirstLogin onLogin={setState} />
      ) : (
        <LoginPage hasEnded={state === 'ended'} onLogin={setState} />
      )}
    </ApiProvider>
  )
}

/** Asks whether the browser has a login already. */
function FirstLogin({ onLogin }: { readonly onLogin: (state: Login | 'none') => void }): ReactElement {
  const api = useApi()
  const query = useQuery({
    queryKey: ['login'],
    queryFn: async () => {
      try {
        const login = await dataOf(api.GET('/auth/login'))
        onLogin(login)
        return login
      } catch (error) {
        if (!(error instanceof AlcoveApiError) || error.status !== 401) throw error
        onLogin('none')
        return null
      }
    },
  })
  return (
    <main className="login">
      <Loaded query={query}>{() => null}</Loaded>
    </main>
  )
}

function Sections(): ReactElement {
  const [path] = useLocation()
  const texts = useTexts(TEXTS)
  const { can } = useLogin()
  const first = SECTIONS.find(({ needs }) => can(needs))
  return (
    <Frame>
      {first === undefined ? (
        <EmptyState title={texts.noRight}>{texts.noRightText}</EmptyState>
      ) : (
        <ErrorBoundary key={path.split('/')[1] ?? ''}>
          <Suspense>
            <Switch>
              <Route path="/">
                <Redirect to={`/${first.name}`} replace />
              </Route>
              {can('context:read') && <Route path="/gpts/*?" component={Gpts} />}
              {can('search') && <Route path="/search" component={Search} />}
              {can('tenant:manage') && <Route path="/people/*?" component={People} />}
              {can('webhook:manage') && <Route path="/webhooks/*?" component={Webhooks} />}
              {can('tenant:manage') && <Route path="/operate/*?" component={Operate} />}
              <Route>
                <EmptyState title={texts.unknown}>{texts.unknownText}</EmptyState>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      )}
    </Frame>
  )
}

function storedAccount(): number | undefined {
  const text = localStorage.getItem(STORED_ACCOUNT)
  return text === null ? undefined : Number(text)
}
